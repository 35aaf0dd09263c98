"""Debian's Chromium, and sites for it to open, over HTTP below a sub-path and as files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.browser.checked_site import RUN, CheckedSite, serving
from tests.browser.chromium import chromium_path, launched
from tests.browser.panel import Panel
from tests.browser.visit import SUB_PATH, Visit
from tests.browser.whole_site import BuiltSite, Sites, write_crowd, write_previewed, write_whole


@pytest.fixture(scope="session")
def chromium() -> None:
    if chromium_path() is None:
        pytest.skip("no Chromium here: `apt-get install chromium` brings Debian's")


@pytest.fixture(scope="module")
def browser(chromium: None) -> Iterator[Browser]:
    # Open for one module only: while Playwright's sync API is open, asyncio.run fails for every test of this process.
    with sync_playwright() as playwright, launched(playwright) as opened:
        yield opened


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory) -> BuiltSite:
    """A site with one page of every kind, but for those that only many models bring, and hostile text in all places."""
    return BuiltSite.build(tmp_path_factory.mktemp("whole"), write_whole)


@pytest.fixture(scope="session")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> BuiltSite:
    """A release of 500 runs, in which tables are long."""
    return BuiltSite.build(tmp_path_factory.mktemp("crowded"), write_crowd)


@pytest.fixture(scope="session")
def sites(tmp_path_factory: pytest.TempPathFactory, whole: BuiltSite, crowded: BuiltSite) -> Sites:
    """All kinds of page: those two, and a preview."""
    return Sites(whole=whole, crowded=crowded, previewed=write_previewed(tmp_path_factory.mktemp("previewed")))


@pytest.fixture(scope="session")
def parent(whole: BuiltSite) -> Path:
    """A directory with the whole site in `below/path/`."""
    return whole.served


@pytest.fixture(scope="session")
def origin(parent: Path) -> Iterator[str]:
    with serving(parent) as address:
        yield address


@pytest.fixture
def visit(browser: Browser, parent: Path, origin: str) -> Callable[..., Visit]:
    """Opens a context: `visit(scheme="http", …)`; further arguments go to Playwright's `new_context`."""

    def start(scheme: str = "http", **context: object) -> Visit:
        root = f"{origin}/{SUB_PATH}/" if scheme == "http" else (parent / SUB_PATH).as_uri() + "/"
        return Visit(browser, root, **context)

    return start


@pytest.fixture(scope="session")
def checked(tmp_path_factory: pytest.TempPathFactory) -> CheckedSite:
    return CheckedSite.write(tmp_path_factory.mktemp("checked"))


@pytest.fixture(scope="session")
def address(checked: CheckedSite) -> Iterator[str]:
    with serving(checked.served) as origin:
        yield f"{origin}/{SUB_PATH}/"


@pytest.fixture
def site(browser: Browser, address: str) -> Iterator[Visit]:
    with Visit(browser, address) as visit:
        yield visit


@pytest.fixture
def panel(site: Visit) -> Panel:
    return Panel(site, RUN)
