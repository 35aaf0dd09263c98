"""A bank to run batches over."""

from __future__ import annotations

from tests.factories.stored_fixtures import *  # noqa: F403
