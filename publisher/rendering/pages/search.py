"""The page that searches, and the index that it loads. Comes last: it knows every page."""

from __future__ import annotations

from collections.abc import Iterator

from publisher.rendering.page_names import SEARCH
from publisher.rendering.pages.interface import Page, SiteSource, as_one_job
from publisher.rendering.search.documents import search_documents
from publisher.rendering.site.file import SiteFile
from publisher.search.index import search_files


def _made(source: SiteSource) -> Iterator[Page | SiteFile]:
    """The page, then every file of the index."""
    yield Page(name=SEARCH, template="search.html")
    for file in search_files(search_documents(source)):
        yield SiteFile(name=file.name, data=file.data)


search_pages = as_one_job("search", _made)
