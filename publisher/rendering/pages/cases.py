"""The page of each case."""

from __future__ import annotations

from collections.abc import Iterator

from publisher.rendering.case_page import case_views
from publisher.rendering.page_names import case_page
from publisher.rendering.pages.interface import Page, SiteSource


def case_pages(source: SiteSource) -> Iterator[Page]:
    """A page for each case of any batch."""
    for view in case_views(source.snapshot.batches):
        yield Page(name=case_page(view.case_id), template="case.html", content={"case": view})
