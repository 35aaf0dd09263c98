"""The leaderboard."""

from __future__ import annotations

from collections.abc import Iterator

from publisher.rendering.leaderboard import COLUMNS
from publisher.rendering.page_names import HOME
from publisher.rendering.pages.interface import Page, SiteSource
from publisher.rendering.plots.section import board_plots


def board_pages(source: SiteSource) -> Iterator[Page]:
    """The front page, with every table."""
    content = {
        "boards": source.boards,
        "board_plots": board_plots(source.boards, source.reports),
        "columns": COLUMNS,
        "releases": source.releases,
    }
    yield Page(name=HOME, template="leaderboard.html", content=content)
