"""The pages that compare two models or two arms of a batch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from publisher.rendering.building.content_key import content_key
from publisher.rendering.compare.matchup import ALL_PAIRS, Matchup, Matchups, matchups_of
from publisher.rendering.compare.view import compare_parts, compare_view, matchups_parts
from publisher.rendering.page_names import beside_page
from publisher.rendering.pages.interface import JobFamily, Made, Page, SiteSource
from publisher.rendering.snapshot.replay import source_of
from publisher.rendering.snapshot.snapshot import PublishedBatch


@dataclass(frozen=True, kw_only=True, slots=True)
class ComparisonJob:
    """One comparison of a batch; None: the list of all."""

    batch: PublishedBatch
    found: Matchups
    matchup: Matchup | None


def _jobs(source: SiteSource) -> Sequence[ComparisonJob]:
    """For each batch the list of its comparisons, and each of them."""
    return [
        ComparisonJob(batch=batch, found=found, matchup=matchup)
        for batch in source.snapshot.batches
        for found in [matchups_of(batch)]
        for matchup in (None, *found.all)
    ]


def _made(source: SiteSource, job: ComparisonJob) -> Iterator[Made]:
    yield from _list(job) if job.matchup is None else _comparison(source, job.batch, job.matchup)


def _list(job: ComparisonJob) -> Iterator[Page]:
    parts = matchups_parts(job.found)
    for part in parts:
        content = {"matchups": job.found, "part": part, "parts": parts, "all_pairs": ALL_PAIRS}
        yield Page(name=part.name, template="compare_list.html", content=content, release=job.batch.release)


def _comparison(source: SiteSource, batch: PublishedBatch, matchup: Matchup) -> Iterator[Page]:
    view = compare_view(matchup)
    pages = compare_parts(view)
    for one in pages:
        content = {
            "compare": view,
            "part": one,
            "parts": pages,
            "beside_page": beside_page,
            "replays": [found for found in [source_of(batch.report, source.reports)] if found is not None],
            "of_board": None,
        }
        yield Page(name=one.name, template="compare.html", content=content, release=batch.release)


def _key(source: SiteSource, job: ComparisonJob) -> str:
    """All of it follows from the report."""
    report = job.batch.report
    return content_key(
        source.report_sha256[report.batch_id],
        job.matchup and job.matchup.slug,
        source_of(report, source.reports),
        source.logged_at(job.batch.release),
    )


comparison_pages = JobFamily(name="comparisons", jobs=_jobs, made=_made, key=_key)
