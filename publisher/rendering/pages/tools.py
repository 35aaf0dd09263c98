"""The page of each tool, and the list of all. Comes after the runs, which tell what they called."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from publisher.rendering.language.message import Message
from publisher.rendering.page_names import TOOLS, tool_page
from publisher.rendering.pages.interface import Crumb, Page, SiteSource, as_one_job
from publisher.rendering.views.tool import tool_views


def _made(source: SiteSource) -> Iterator[Page]:
    """The list, then a page for each tool."""
    views = tool_views(source.gathered, _locales(source))
    yield Page(name=TOOLS, template="tools.html", content={"tools": views})
    for view in views:
        yield Page(
            name=tool_page(view.name),
            template="tool.html",
            content={"view": view, "models": source.models},
            crumbs=(Crumb(title=Message("Tools"), name=TOOLS),),
        )


def _locales(source: SiteSource) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for report in source.reports.values():
        of_variant: dict[str, str] = {variant.id: variant.locale for variant in report.variants}
        found.update((run.run_id, of_variant[run.variant_id]) for run in report.every_run)
    return found


tool_pages = as_one_job("tools", _made)
