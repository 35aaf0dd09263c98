"""Pages that say what holds for every snapshot: the metrics, how it all works, and that a page isn't there."""

from __future__ import annotations

from collections.abc import Iterator

from dataset.measures.metric import DERIVED_METRICS, METRICS
from publisher.rendering.language.language import LANGUAGES
from publisher.rendering.language.message import marked
from publisher.rendering.page_names import ARCHITECTURE, NOT_FOUND
from publisher.rendering.pages.interface import Page, SiteSource, as_one_job
from publisher.rendering.site.assets import template_file
from publisher.rendering.statistic import STATISTICS
from publisher.rendering.templates.markdown import render_markdown


def _made(source: SiteSource) -> Iterator[Page]:
    """The metrics, the architecture, and the page for addresses that lead nowhere."""
    yield Page(
        name="metrics.html",
        template="metrics.html",
        content={"all_metrics": (*METRICS, *DERIVED_METRICS), "all_statistics": STATISTICS},
    )
    bodies = {
        language.code: render_markdown(template_file(f"texts/architecture.{language.code}.md").decode())
        for language in LANGUAGES
    }
    yield Page(name=ARCHITECTURE, template="content.html", content={"title": marked("How it works"), "bodies": bodies})
    yield Page(name=NOT_FOUND, template="not_found.html")


text_pages = as_one_job("texts", _made)
