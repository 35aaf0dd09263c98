"""The page of each case, and the list of all."""

from __future__ import annotations

from collections.abc import Iterator

from publisher.rendering.case_page import case_views
from publisher.rendering.language.message import Message
from publisher.rendering.page_names import CASES, case_page
from publisher.rendering.pages.interface import Crumb, Page, SiteSource


def case_pages(source: SiteSource) -> Iterator[Page]:
    """The list, then a page for each case of any batch."""
    views = case_views(source.snapshot.batches)
    yield Page(name=CASES, template="cases.html", content={"cases": views})
    for view in views:
        yield Page(
            name=case_page(view.case_id),
            template="case.html",
            content={"case": view},
            crumbs=(Crumb(title=Message("Cases"), name=CASES),),
        )
