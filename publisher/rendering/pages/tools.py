"""The page of each tool, and the list of all. Comes after the runs, which tell what they called."""

from __future__ import annotations

from collections.abc import Iterator

from publisher.rendering.language.message import Message
from publisher.rendering.page_names import TOOLS, tool_page
from publisher.rendering.pages.interface import Crumb, Page, SiteSource
from publisher.rendering.tool_page import tool_views


def tool_pages(source: SiteSource) -> Iterator[Page]:
    """The list, then a page for each tool."""
    views = tool_views(source.gathered)
    yield Page(name=TOOLS, template="tools.html", content={"tools": views})
    for view in views:
        yield Page(
            name=tool_page(view.name),
            template="tool.html",
            content={"view": view, "models": source.models},
            crumbs=(Crumb(title=Message("Tools"), name=TOOLS),),
        )
