"""Debian's Chromium, as tests and tools start it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Playwright

QUIET = (
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)


def chromium_path() -> str | None:
    """Where it is, or None: `apt-get install chromium` brings it."""
    return "/usr/bin/chromium" if Path("/usr/bin/chromium").exists() else shutil.which("chromium")


@contextmanager
def launched(playwright: Playwright, *arguments: str) -> Iterator[Browser]:
    """A browser, as long as it is open."""
    # Chromium's sandbox refuses to start as root.
    sandbox = ("--no-sandbox",) if os.geteuid() == 0 else ()
    browser = playwright.chromium.launch(executable_path=chromium_path(), args=[*QUIET, *sandbox, *arguments])
    yield browser
    browser.close()
