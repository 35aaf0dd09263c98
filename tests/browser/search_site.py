"""A site of nothing but a search page in each language, over documents that a test gives."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pytest

from publisher.rendering.language.language import LANGUAGES
from publisher.rendering.pages.interface import Page, SiteSource
from publisher.rendering.pages.renderer import in_language
from publisher.rendering.site.assets import ICON, SEARCH_SCRIPT, STYLESHEET, asset_bytes, asset_name
from publisher.rendering.snapshot.snapshot import Snapshot
from publisher.search.document import SearchDocument
from publisher.search.index import search_files

SHOWCASE = Path(__file__).parents[2] / "showcase-data"


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchSite:
    """The directory of a site, and where it is served."""

    directory: Path
    address: str

    def root(self, scheme: str) -> str:
        """The address of the site's root."""
        return self.address if scheme == "http" else self.directory.as_uri() + "/"


def showcase() -> Snapshot:
    """The committed snapshot; skips where it isn't there."""
    if not SHOWCASE.is_dir():
        pytest.skip("no showcase-data in this checkout")
    return Snapshot(SHOWCASE)


def write_search_site(directory: Path, documents: Iterable[SearchDocument]) -> None:
    """Writes the pages, their assets and the index."""
    page = Page(name="search.html", template="search.html")
    source = SiteSource(snapshot=showcase())
    files = [(file.name, file.data) for file in (in_language(page, source, language) for language in LANGUAGES)]
    files += [(asset_name(name), asset_bytes(name)) for name in (STYLESHEET, ICON, SEARCH_SCRIPT)]
    files += [(file.name, file.data) for file in search_files(documents)]
    for name, data in files:
        (directory / name).parent.mkdir(parents=True, exist_ok=True)
        (directory / name).write_bytes(data)
