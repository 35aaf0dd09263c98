"""Pictures of a site for people to look at: every kind of page, at three widths, in both themes and both languages.

Run it with `python -m tests.browser.screenshots SNAPSHOT DIRECTORY [HEIGHT]`; the pictures are named
`360/light/en/case.png`, and show the first HEIGHT pixels (2000).
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from itertools import product
from pathlib import Path

from playwright.sync_api import Browser, FloatRect, Page, sync_playwright

from publisher.rendering.language.language import LANGUAGES
from publisher.rendering.site.build import build_site
from tests.browser.chromium import launched
from tests.browser.page_faults import Theme
from tests.factories.page_kinds import pages_by_kind

WIDTHS = (360, 768, 1440)
THEMES: tuple[Theme, ...] = ("light", "dark")


def take(browser: Browser, site: Path, snapshot: Path, target: Path, height: int) -> Iterator[Path]:
    """Takes every picture; yields the files."""
    kinds = pages_by_kind(snapshot)
    for width, theme in product(WIDTHS, THEMES):
        page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=theme)
        for language, (kind, names) in product(LANGUAGES, kinds.items()):
            page.goto((site / language.folder / names[len(names) // 2]).as_uri())
            path = target / str(width) / theme / language.code / f"{kind}.png"
            page.screenshot(path=path, full_page=True, clip=_first(page, width, height))
            yield path
        page.close()


def _first(page: Page, width: int, height: int) -> FloatRect:
    whole: int = page.evaluate("document.documentElement.scrollHeight")
    return {"x": 0, "y": 0, "width": width, "height": min(whole, height)}


def main() -> None:
    """Builds the site of a snapshot and takes its pictures."""
    snapshot, target = Path(sys.argv[1]), Path(sys.argv[2])
    height = int(sys.argv[3]) if len(sys.argv) > 3 else 2000
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright, launched(playwright) as browser:
        build_site(snapshot, Path(folder) / "site")
        taken = list(take(browser, Path(folder) / "site", snapshot, target, height))
    print(f"{len(taken)} pictures in {target}")


if __name__ == "__main__":
    main()
