"""A real PostgreSQL for tests: one server a test session, one migrated template, one clone of it a test.

The server comes out of the wheel, or GLASSBENCH_TEST_DATABASE_URL names one (its role must be allowed to create
databases). It is started by the first test that asks for a database, shared by every xdist worker, and stopped by the
process that began the session.
"""

from __future__ import annotations

import fcntl
import os
import secrets
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from hypothesis import settings
from psycopg import sql
from sqlalchemy.engine import make_url

from dataset.home import CACHE_VARIABLE
from dataset.store.embedded import ensure_running, stop
from dataset.store.session import Database, connect, upgrade

SERVER_VARIABLE = "GLASSBENCH_TEST_DATABASE_URL"
GROUND = pytest.StashKey[Path]()
ROOM_BYTES = 2 * 1024**3
# Folders whose files look at the same sites: one worker builds them once.
TOGETHER = (
    "tests/browser/",
    "tests/unit/publisher/exports/",
    "tests/unit/publisher/mirror/",
    "tests/unit/publisher/rendering/",
)

FIRST = ("tests/unit/publisher/rendering/", "tests/browser/", "tests/acceptance/", "tests/adversarial/", "tests/unit/")

# How long an example takes says more of the machine than of the code.
settings.register_profile("any-machine", deadline=None)
settings.load_profile("any-machine")


def _fast_ground() -> str:
    """Memory where there is enough of it: what a test's database costs is mostly the making of its files."""
    memory = Path("/dev/shm")
    try:
        free = shutil.disk_usage(memory).free
    except OSError:
        return "/tmp"
    return str(memory) if free > ROOM_BYTES and os.access(memory, os.W_OK) else "/tmp"


def pytest_configure(config: pytest.Config) -> None:
    """Names a folder that workers share; the first test that asks for a database makes it."""
    shared = getattr(config, "workerinput", {}).get("database_ground")
    config.stash[GROUND] = Path(shared or f"{_fast_ground()}/gb-{secrets.token_hex(6)}")
    # What is kept between processes is the session's own: no test writes to the user's cache, or reads it.
    os.environ[CACHE_VARIABLE] = str(_cache(config))


def _cache(config: pytest.Config) -> Path:
    ground = config.stash[GROUND]
    return ground.with_name(f"{ground.name}-cache")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes longest in one piece comes first, so that no worker is left alone with it at the end."""
    items.sort(key=lambda item: next((n for n, place in enumerate(FIRST) if item.nodeid.startswith(place)), len(FIRST)))


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    node.workerinput["database_ground"] = str(node.config.stash[GROUND])


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Gives workers whole files, or whole folders of TOGETHER, in the order of collection.

    What a file or folder builds once is then built once, and not by every worker. xdist's own groups can't do that
    here: they write a test's group where pytest 9.2 no longer looks, so no test names one.
    """
    from xdist.scheduler import LoadScopeScheduling  # type: ignore[import-untyped]

    class Scheduling(LoadScopeScheduling):  # type: ignore[misc]
        def _split_scope(self, nodeid: str) -> str:
            file = nodeid.partition("::")[0]
            return next((folder for folder in TOGETHER if file.startswith(folder)), file)

    config.option.loadscopereorder = False
    return Scheduling(config, log)


def pytest_unconfigure(config: pytest.Config) -> None:
    ground = config.stash.get(GROUND, None)
    if ground is None or hasattr(config, "workerinput"):
        return
    shutil.rmtree(_cache(config), ignore_errors=True)
    if not ground.exists():
        return
    if (ground / "template").exists():
        _drop_database(_server(ground), _template_name(ground))
    if (ground / "home").exists():
        stop(ground / "home", site_directory=ground / "site")
    shutil.rmtree(ground)


@pytest.fixture(scope="session")
def database_server(pytestconfig: pytest.Config) -> str:
    """The URL of a database in the session's server in which databases may be created."""
    ground = pytestconfig.stash[GROUND]
    ground.mkdir(exist_ok=True)
    ground.chmod(0o755)  # the server's own account passes through it, whatever the umask
    return _server(ground)


@pytest.fixture(scope="session")
def database_template(pytestconfig: pytest.Config, database_server: str) -> str:
    """The name of a migrated database that nobody is connected to."""
    ground = pytestconfig.stash[GROUND]
    name, made = _template_name(ground), ground / "template"
    with (ground / "template.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            _run(database_server, sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
            with connect(_at(database_server, name), check_schema=False) as database:
                upgrade(database)
            made.touch()
    return name


@pytest.fixture
def database_url(database_server: str, database_template: str) -> Iterator[str]:
    """The URL of a migrated database of the test's own."""
    with _fresh_database(database_server, "TEMPLATE {}", sql.Identifier(database_template)) as url:
        yield url


@pytest.fixture
def empty_database_url(database_server: str) -> Iterator[str]:
    """The URL of a database without any schema."""
    with _fresh_database(database_server) as url:
        yield url


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    """An open, migrated, empty database of the test's own."""
    with connect(database_url) as opened:
        yield opened


def _server(ground: Path) -> str:
    external = os.environ.get(SERVER_VARIABLE)
    if external:
        return external
    first = not (ground / "home").exists()
    url = ensure_running(ground / "home", site_directory=ground / "site")
    if first:
        # Nothing here outlives the session, so nothing has to survive a power cut.
        _run(url, sql.SQL("ALTER SYSTEM SET fsync = off"))
        _run(url, sql.SQL("SELECT pg_reload_conf()"))
    return url


def _template_name(ground: Path) -> str:
    return f"template_{ground.name}"


@contextmanager
def _fresh_database(server: str, options: str = "", *names: sql.Identifier) -> Iterator[str]:
    name = f"test_{uuid.uuid4().hex}"
    _run(server, sql.SQL("CREATE DATABASE {} ").format(sql.Identifier(name)) + sql.SQL(options).format(*names))
    try:
        yield _at(server, name)
    finally:
        _drop_database(server, name)


def _drop_database(server: str, name: str) -> None:
    _run(server, sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))


def _run(url: str, statement: sql.Composable) -> None:
    with psycopg.connect(_libpq(url), autocommit=True) as connection:
        connection.execute(sql.Composed([statement]))


def _libpq(url: str) -> str:
    return make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)


def _at(url: str, name: str) -> str:
    return make_url(url).set(database=name).render_as_string(hide_password=False)
