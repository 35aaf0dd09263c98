"""Debian's Chromium, and sites for it to open, over HTTP below a sub-path and as files."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from publisher.rendering.site import build_site
from tests.browser.checked_site import RUN, CheckedSite, serving
from tests.browser.corpora import hostile_texts
from tests.browser.panel import Panel
from tests.browser.visit import SUB_PATH, Visit
from tests.factories import default_scenario, make_batch, write_snapshot
from tests.unit.publisher.rendering.finance_batches import SHORTEST, delivery_batch, strategies_batch

QUIET = (
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)


@pytest.fixture(scope="session")
def chromium() -> str:
    found = "/usr/bin/chromium" if Path("/usr/bin/chromium").exists() else shutil.which("chromium")
    if not found:
        pytest.skip("no Chromium here: `apt-get install chromium` brings Debian's")
    return found


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Browser]:
    # Open for one module only: while Playwright's sync API is open, asyncio.run fails for every test of this process.
    # Chromium's sandbox refuses to start as root.
    sandbox = ("--no-sandbox",) if os.geteuid() == 0 else ()
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=chromium, args=[*QUIET, *sandbox])
        yield opened
        opened.close()


@pytest.fixture(scope="session")
def parent(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with a site in `below/path/`, which holds one page of every kind and hostile text in all places."""
    folder = tmp_path_factory.mktemp("browser")
    batches = [
        make_batch(
            "batch-1",
            case_ids=["fund-nav", "order-history", "advice-wish", *(f"c-{n}" for n in range(8))],
            scenario=lambda planned: "truncated" if planned.position == 2 else default_scenario(planned),
            earlier=lambda planned: ("stopped",) if planned.position == 2 else (),
        ),
        make_batch("batch-2", text="\n".join(hostile_texts()), synthetic=True),
        strategies_batch(SHORTEST),
        delivery_batch(),
        make_batch("batch-3", text="<script>document.title='owned'</script>\u202e\x00\"'><img src=x onerror=x>"),
    ]
    (folder / "served" / SUB_PATH).parent.mkdir(parents=True)
    build_site(write_snapshot(folder / "snapshot", batches), folder / "served" / SUB_PATH)
    return folder / "served"


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
