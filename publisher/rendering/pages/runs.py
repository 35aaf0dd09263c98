"""The page of each run, beside the artifact that it shows."""

from __future__ import annotations

from collections.abc import Iterator

from dataset.artifacts.withdrawn import Withdrawn
from publisher.rendering.gathered import seen_in, told_of
from publisher.rendering.page_names import run_page
from publisher.rendering.pages.interface import Page, SiteSource
from publisher.rendering.replay import source_of
from publisher.rendering.run_page import RunPlace, RunSurroundings, run_places, run_view, withdrawn_view
from publisher.rendering.site_file import SiteFile
from publisher.rendering.snapshot import PublishedBatch
from publisher.verification.files import run_name


def run_pages(source: SiteSource) -> Iterator[Page | SiteFile]:
    """A page for each run of each batch, and the artifact as it stands in the snapshot."""
    for batch in source.snapshot.batches:
        for place in run_places(batch.report):
            yield from _run(source, batch, place)


def _run(source: SiteSource, batch: PublishedBatch, place: RunPlace) -> Iterator[Page | SiteFile]:
    run_id, log = place.facts.run_id, source.snapshot.log
    found, data = source.snapshot.run(batch, place.facts)
    around = RunSurroundings(
        replay_of=source_of(batch.report, source.reports),
        changes=source.changes.of_run.get(run_id, ()),
        logged=log.places.get(run_id) if log is not None else None,
    )
    name = run_page(run_id)
    if isinstance(found, Withdrawn):
        source.gathered.take(told_of(batch.report.batch_id, place.facts))
        withdrawn = withdrawn_view(batch, place, found, data, around)
        yield Page(name=name, template="run_withdrawn.html", content={"run": withdrawn}, release=batch.release)
    else:
        source.gathered.take(seen_in(batch.report.batch_id, place.facts, found))
        view = run_view(batch, place, found, data, around)
        yield Page(name=name, template="run.html", content={"run": view}, release=batch.release)
    yield SiteFile(name=run_name(run_id), data=data)
