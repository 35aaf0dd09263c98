"""The page of each code, and the list of all. Comes after the runs, which tell what they recorded."""

from __future__ import annotations

from collections.abc import Iterator

from publisher.rendering.language.message import Message
from publisher.rendering.page_names import CODES, code_page
from publisher.rendering.pages.interface import Crumb, Page, SiteSource, as_one_job
from publisher.rendering.views.code import code_views, grouped_codes


def _made(source: SiteSource) -> Iterator[Page]:
    """The list, then a page for each code."""
    views = code_views(source.gathered)
    yield Page(name=CODES, template="codes.html", content={"groups": grouped_codes(views)})
    for view in views:
        yield Page(
            name=code_page(view.id),
            template="code.html",
            content={"view": view, "models": source.models},
            crumbs=(Crumb(title=Message("Codes"), name=CODES),),
        )


code_pages = as_one_job("codes", _made)
