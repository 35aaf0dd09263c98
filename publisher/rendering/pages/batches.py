"""The page of each batch, beside its report."""

from __future__ import annotations

from collections.abc import Iterator

from publisher.rendering.batch_page import batch_view
from publisher.rendering.page_names import batch_page
from publisher.rendering.pages.interface import Page, SiteSource
from publisher.rendering.plots.section import batch_plots
from publisher.rendering.replay import source_of
from publisher.rendering.site_file import SiteFile
from publisher.verification.files import report_name


def batch_pages(source: SiteSource) -> Iterator[Page | SiteFile]:
    """A page for each batch, and the report that it shows."""
    for batch in source.snapshot.batches:
        batch_id, view = batch.report.batch_id, batch_view(batch)
        content = {
            "batch": view,
            "plot_section": batch_plots(view),
            "replay_of": source_of(batch.report, source.reports),
            "changes": source.changes.of_batch.get(batch_id, ()),
            "release": batch.release,
        }
        yield Page(name=batch_page(batch_id), template="batch.html", content=content)
        yield SiteFile(name=report_name(batch_id), data=batch.data)
