"""A database that holds the finance pack, for commands that publish from one."""

from __future__ import annotations

from tests.factories.stored_fixtures import bank, bank_template, bank_url

__all__ = ["bank", "bank_template", "bank_url"]
