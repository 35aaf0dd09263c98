"""The pages of each batch, beside its report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from publisher.rendering.batches.model import batch_model_view, verdicts_parts
from publisher.rendering.batches.view import BatchView, batch_view
from publisher.rendering.building.content_key import content_key
from publisher.rendering.compare.view import matchup_row
from publisher.rendering.page_names import batch_page, batch_section_page, numbered
from publisher.rendering.pages.interface import JobFamily, Made, Page, SiteSource
from publisher.rendering.plots.section import PlotSection, batch_plots
from publisher.rendering.site.file import SiteFile
from publisher.rendering.snapshot.replay import source_of
from publisher.rendering.snapshot.snapshot import PublishedBatch
from publisher.verification.files import report_name

MOST_LISTED = 100
"""Runs or cases that a page lists where the whole list stands elsewhere too."""
ROWS_A_PAGE = 60


def _jobs(source: SiteSource) -> Sequence[PublishedBatch]:
    return source.snapshot.batches


def _made(source: SiteSource, batch: PublishedBatch) -> Iterator[Made]:
    """The page of a batch, that of each of its models, and the report that they show."""
    view = batch_view(batch)
    yield _page(source, batch, view)
    if view.crowded:
        yield from _parts(view, batch.release)
    yield from _models(source, view, batch.release)
    yield SiteFile(name=report_name(batch.report.batch_id), data=batch.data)


def _key(source: SiteSource, batch: PublishedBatch) -> str:
    """Everything but where answers were replayed from, and what judging them again changed, follows from the report."""
    report = batch.report
    return content_key(
        source.report_sha256[report.batch_id],
        source_of(report, source.reports),
        source.changes.of_batch.get(report.batch_id, ()),
        source.logged_at(batch.release),
    )


batch_pages = JobFamily(name="batches", jobs=_jobs, made=_made, key=_key, few=4)


def _page(source: SiteSource, batch: PublishedBatch, view: BatchView) -> Page:
    batch_id = batch.report.batch_id
    content = {
        "batch": view,
        "plot_section": _plots(view),
        "replay_of": source_of(batch.report, source.reports),
        "changes": source.changes.of_batch.get(batch_id, ()),
        "release": batch.release,
        "most_listed": MOST_LISTED,
        "compared": () if view.matchups.neighbours_only else tuple(map(matchup_row, view.matchups.models)),
    }
    return Page(name=batch_page(batch_id), template="batch.html", content=content, release=batch.release)


def _plots(view: BatchView) -> PlotSection | None:
    """The plots of a crowded batch show its models alone: its page has no place for their arms."""
    if view.crowded:
        view = replace(view, models=tuple(replace(part, groups=(), grids=()) for part in view.models))
    return batch_plots(view)


def _parts(view: BatchView, release: int) -> Iterator[Page]:
    """Long tables of a crowded batch, on pages of their own."""
    starts = list(range(0, len(view.wholes), ROWS_A_PAGE))
    for number, start in enumerate(starts, start=1):
        end = start + ROWS_A_PAGE
        for section, rows in (
            ("results", view.wholes[start:end]),
            ("models", view.report.definition.models[start:end]),
            ("order", _ranked(view, start, end)),
            ("spread", _spread(view, start, end)),
        ):
            if rows:
                content = {"batch": view, "section": section, "rows": rows, "number": number, "count": len(starts)}
                page = numbered(batch_section_page(view.report.batch_id, section), number)
                yield Page(name=page, template="batch_part.html", content=content, release=release)


def _ranked(view: BatchView, start: int, end: int) -> object:
    found = next((ranking for ranking in view.rankings if ranking.model is None), None)
    return None if found is None else replace(found, rows=found.rows[start:end])


def _spread(view: BatchView, start: int, end: int) -> object:
    if view.spread is None:
        return None
    columns = tuple(replace(column, cells=column.cells[start:end]) for column in view.spread.columns)
    return replace(view.spread, groups=view.spread.groups[start:end], columns=columns)


def _models(source: SiteSource, view: BatchView, release: int) -> Iterator[Page]:
    replay_of = source_of(view.report, source.reports)
    for part in view.models:
        found = batch_model_view(view, part)
        parts = verdicts_parts(view, part)
        for one in parts:
            content = {
                "view": found,
                "part": one,
                "parts": parts,
                "most_listed": MOST_LISTED,
                "replay_of": replay_of,
            }
            yield Page(name=one.name, template="batch_model.html", content=content, release=release)
