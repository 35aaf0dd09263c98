"""The page of each run, beside the artifact that it shows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dataset.artifacts.withdrawn import Withdrawn
from publisher.rendering.building.content_key import content_key
from publisher.rendering.page_names import batch_page, run_page
from publisher.rendering.pages.gathered import seen_in, told_of
from publisher.rendering.pages.interface import Crumb, JobFamily, Made, Page, SiteSource
from publisher.rendering.runs.view import RunPlace, RunSurroundings, run_places, run_view, withdrawn_view
from publisher.rendering.site.file import SiteFile
from publisher.rendering.snapshot.replay import source_of
from publisher.rendering.snapshot.snapshot import PublishedBatch
from publisher.verification.files import run_name


@dataclass(frozen=True, kw_only=True, slots=True)
class RunJob:
    """One run in its place."""

    batch: PublishedBatch
    place: RunPlace


def _jobs(source: SiteSource) -> Sequence[RunJob]:
    return [RunJob(batch=batch, place=place) for batch in source.snapshot.batches for place in run_places(batch)]


def _made(source: SiteSource, job: RunJob) -> Iterator[Made]:
    """The page, the artifact as it stands in the snapshot, and what it tells the pages of codes and tools."""
    batch, place = job.batch, job.place
    run_id = place.facts.run_id
    found, data = source.snapshot.run(batch, place.facts)
    around, name = _surroundings(source, job), run_page(run_id)
    crumbs = (Crumb(title=batch.report.batch_id, name=batch_page(batch.report.batch_id)),)
    if isinstance(found, Withdrawn):
        withdrawn = withdrawn_view(batch, place, found, data, around)
        content = {"run": withdrawn}
        yield Page(name=name, template="run_withdrawn.html", content=content, crumbs=crumbs, release=batch.release)
        yield told_of(place.facts)
    else:
        view = run_view(batch, place, found, data, around)
        yield Page(name=name, template="run.html", content={"run": view}, crumbs=crumbs, release=batch.release)
        yield seen_in(place.facts, found)
    yield SiteFile(name=run_name(run_id), data=data)


def _surroundings(source: SiteSource, job: RunJob) -> RunSurroundings:
    run_id, log = job.place.facts.run_id, source.snapshot.log
    return RunSurroundings(
        replay_of=source_of(job.batch.report, source.reports),
        changes=source.changes.of_run.get(run_id, ()),
        logged=log.places.get(run_id) if log is not None else None,
    )


def _key(source: SiteSource, job: RunJob) -> str:
    """Everything that the page shows: the file, what the report says of its case, and what stands around it."""
    report, case_id = job.batch.report, job.place.facts.case_id
    return content_key(
        source.run_sha256(job.place.facts.run_id),
        report.definition_hash,
        report.cases_by_id[case_id],
        [reveal for reveal in report.reveals if reveal.case_id == case_id],
        job.place,
        _surroundings(source, job),
        source.logged_at(job.batch.release),
    )


run_pages = JobFamily(name="runs", jobs=_jobs, made=_made, key=_key)
