"""Fixtures of tests that run batches: a bank with the finance pack in a database of the test's own, and an empty home.

A conftest takes them in with `from tests.factories.stored_fixtures import *`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from dataset.store.bank import import_pack
from dataset.store.session import Database, connect
from tests.factories.stored import bank_of_tests, cloned_database

__all__ = ["_no_settings_of_the_machine", "bank", "bank_template", "bank_url", "home"]


@pytest.fixture(scope="session")
def bank_template(database_server: str, database_template: str) -> Iterator[str]:
    """The name of a database that holds the finance pack and that nobody is connected to."""
    with cloned_database(database_server, database_template) as url:
        with connect(url) as database:
            import_pack(database, bank_of_tests())
        yield url.partition("?")[0].rpartition("/")[2]


@pytest.fixture
def bank_url(database_server: str, bank_template: str) -> Iterator[str]:
    """The URL of a database of the test's own that holds the finance pack."""
    with cloned_database(database_server, bank_template) as url:
        yield url


@pytest.fixture
def bank(bank_url: str) -> Iterator[Database]:
    """The same, open."""
    with connect(bank_url) as database:
        yield database


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """An empty state directory."""
    path = tmp_path / "home"
    path.mkdir()
    return path


@pytest.fixture(autouse=True)
def _no_settings_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith("GLASSBENCH_") and name != "GLASSBENCH_TEST_DATABASE_URL":
            monkeypatch.delenv(name)
