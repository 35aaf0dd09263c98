"""A PostgreSQL of the test's own that may be stopped and started, with the bank in it."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from dataset.store.bank import import_pack
from dataset.store.embedded import ensure_running, stop
from dataset.store.session import connect, upgrade
from tests.factories.stored import bank_of_tests


@dataclass(frozen=True, kw_only=True)
class OwnServer:
    """An embedded server in a place that its account can reach as root too."""

    home: Path
    site: Path

    def start(self) -> str:
        """Its URL, once it answers."""
        return ensure_running(self.home, site_directory=self.site)

    def restart(self) -> str:
        """Stops it, whatever is going on, and starts it again under the same URL."""
        stop(self.home, site_directory=self.site)
        return self.start()


@pytest.fixture
def own_server() -> Iterator[OwnServer]:
    ground = Path(tempfile.mkdtemp(prefix="gb-", dir="/tmp"))
    ground.chmod(0o755)
    server = OwnServer(home=ground / "home", site=ground / "site")
    server.home.mkdir(mode=0o755)
    try:
        with connect(server.start(), check_schema=False) as database:
            upgrade(database)
            import_pack(database, bank_of_tests())
        yield server
    finally:
        stop(server.home, site_directory=server.site)
        shutil.rmtree(ground)
