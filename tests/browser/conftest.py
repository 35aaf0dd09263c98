"""Debian's Chromium, and sites for it to open, over HTTP below a sub-path and as files."""

from __future__ import annotations

import json
import os
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from publisher.rendering.serve import make_server
from publisher.rendering.site import build_site
from tests.browser.visit import SUB_PATH, Visit
from tests.factories import default_scenario, make_batch, write_snapshot
from tests.unit.publisher.rendering.finance_batches import SHORTEST, delivery_batch, strategies_batch

HOSTILE_TEXTS = Path(__file__).parents[3] / "shared/corpora/hostile-texts/texts.json"
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
    texts = ["a plain text"]
    if HOSTILE_TEXTS.is_file():
        texts = json.loads(HOSTILE_TEXTS.read_text(encoding="utf-8"))
    batches = [
        make_batch(
            "batch-1",
            case_ids=["fund-nav", "order-history", "advice-wish", *(f"c-{n}" for n in range(8))],
            scenario=lambda planned: "truncated" if planned.position == 2 else default_scenario(planned),
            earlier=lambda planned: ("stopped",) if planned.position == 2 else (),
        ),
        make_batch("batch-2", text="\n".join(texts), synthetic=True),
        strategies_batch(SHORTEST),
        delivery_batch(),
        make_batch("batch-3", text="<script>document.title='owned'</script>\u202e\x00\"'><img src=x onerror=x>"),
    ]
    (folder / "served" / SUB_PATH).parent.mkdir(parents=True)
    build_site(write_snapshot(folder / "snapshot", batches), folder / "served" / SUB_PATH)
    return folder / "served"


@pytest.fixture(scope="session")
def origin(parent: Path) -> Iterator[str]:
    with make_server(parent) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.fixture
def visit(browser: Browser, parent: Path, origin: str) -> Callable[..., Visit]:
    """Opens a context: `visit(scheme="http", …)`; further arguments go to Playwright's `new_context`."""

    def start(scheme: str = "http", **context: object) -> Visit:
        root = f"{origin}/{SUB_PATH}/" if scheme == "http" else (parent / SUB_PATH).as_uri() + "/"
        return Visit(browser, root, **context)

    return start
