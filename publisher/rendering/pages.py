"""Every file of a site, one at a time: where it stands and what it holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from jinja2 import Environment

from dataset.artifacts.withdrawn import Withdrawn
from dataset.canonical import sha256_hex
from dataset.measures.metric import METRICS
from publisher.exports.address import SiteAddress
from publisher.exports.archive import ARCHIVE
from publisher.exports.downloads import downloads_view
from publisher.exports.interface import ExportFile, ExportSource
from publisher.exports.site_exports import SiteExports
from publisher.exports.structured_data import DOWNLOADS
from publisher.rendering.batch_page import batch_view
from publisher.rendering.case_page import case_views
from publisher.rendering.changes_page import changes_view
from publisher.rendering.content_page import render_markdown
from publisher.rendering.environment import ASSETS, asset, make_environment
from publisher.rendering.leaderboard import COLUMNS, boards
from publisher.rendering.plots.section import batch_plots, board_plots
from publisher.rendering.rejudgment import ChangesLinks, changes_links, rejudgments
from publisher.rendering.release_page import release_views, standing_of
from publisher.rendering.replay import source_of
from publisher.rendering.run_page import RunPlace, RunSurroundings, run_places, run_view, withdrawn_view
from publisher.rendering.snapshot import PublishedBatch, Snapshot
from publisher.rendering.statistic import STATISTICS
from publisher.verification.files import INDEX, report_name, run_name

HOME = "index.html"
NOT_FOUND = "404.html"


@dataclass(frozen=True, kw_only=True, slots=True)
class SiteFile:
    """One file: its relative name, always with `/`, and its bytes."""

    name: str
    data: bytes

    def chunks(self) -> Iterator[bytes]:
        """The bytes, in as many pieces as they are kept in."""
        yield self.data


@dataclass(frozen=True, kw_only=True, slots=True)
class LongFile:
    """One file that isn't held in memory. Its chunks are all taken before the file after it is asked for."""

    name: str
    chunks: Callable[[], Iterator[bytes]]


def site_files(snapshot: Snapshot, address: SiteAddress | None = None) -> Iterator[SiteFile | LongFile]:
    """Pages, assets, every file of the snapshot byte for byte, and what is made to take along. Holds one run in memory
    at a time, two where one judges the other again. `address` is where the site will stand, if that is known."""
    exports = SiteExports(source=ExportSource(snapshot=snapshot, address=address))
    renderer = _Renderer(make_environment(), snapshot)
    for file in _rendered(renderer, snapshot):
        exports.notice(file.name, file.data)
        yield file
    yield from map(_exported, exports.first_files())
    yield LongFile(name=ARCHIVE, chunks=exports.make_archive().chunks)
    yield from map(_exported, exports.last_files())
    yield renderer.page(DOWNLOADS, "downloads.html", downloads=downloads_view(exports))


def _exported(file: ExportFile) -> SiteFile:
    return SiteFile(name=file.name, data=file.data)


def _rendered(renderer: _Renderer, snapshot: Snapshot) -> Iterator[SiteFile]:
    yield from renderer.top_pages()
    for batch in snapshot.batches:
        yield renderer.batch_page(batch)
        yield SiteFile(name=report_name(batch.report.batch_id), data=batch.data)
    yield from renderer.changes_pages()
    for view in case_views(snapshot.batches):
        yield renderer.page(f"cases/{view.case_id}.html", "case.html", case=view)
    for batch in snapshot.batches:
        for place in run_places(batch.report):
            yield from renderer.run(batch, place)
    yield SiteFile(name=INDEX, data=snapshot.index_data)
    for name, data in snapshot.log_files():
        yield SiteFile(name=name, data=data)
    for name in ASSETS:
        yield SiteFile(name=name, data=asset(name))


class _Renderer:
    def __init__(self, environment: Environment, snapshot: Snapshot) -> None:
        self._environment = environment
        self._snapshot = snapshot
        self._standing = standing_of(snapshot)
        self._published = {batch.report.batch_id for batch in snapshot.batches}
        self._rejudgments = rejudgments(snapshot.batches)
        self._changes: ChangesLinks = changes_links(self._rejudgments)

    def page(self, name: str, template: str, **content: Any) -> SiteFile:
        text = self._environment.get_template(template).render(
            root="../" * name.count("/"), synthetic=self._snapshot.synthetic, standing=self._standing, **content
        )
        return SiteFile(name=name, data=text.encode())

    def batch_page(self, batch: PublishedBatch) -> SiteFile:
        batch_id, view = batch.report.batch_id, batch_view(batch)
        return self.page(
            f"batches/{batch_id}.html",
            "batch.html",
            batch=view,
            plot_section=batch_plots(view),
            replay_of=source_of(batch.report, self._published),
            changes=self._changes.of_batch.get(batch_id, ()),
            release=batch.release,
        )

    def changes_pages(self) -> Iterator[SiteFile]:
        for again in self._rejudgments:
            view = changes_view(again, lambda batch, facts: self._snapshot.run(batch, facts)[0])
            yield self.page(again.page, "changes.html", changes=view)

    def run(self, batch: PublishedBatch, place: RunPlace) -> Iterator[SiteFile]:
        run_id = place.facts.run_id
        found, data = self._snapshot.run(batch, place.facts)
        around = RunSurroundings(
            replay_of=source_of(batch.report, self._published),
            changes=self._changes.of_run.get(run_id, ()),
            logged=self._snapshot.log.places.get(run_id) if self._snapshot.log is not None else None,
        )
        name = f"runs/{run_id}.html"
        if isinstance(found, Withdrawn):
            yield self.page(name, "run_withdrawn.html", run=withdrawn_view(batch, place, found, data, around))
        else:
            yield self.page(name, "run.html", run=run_view(batch, place, found, data, around))
        yield SiteFile(name=run_name(run_id), data=data)

    def top_pages(self) -> Iterator[SiteFile]:
        snapshot = self._snapshot
        found = boards(snapshot.batches)
        yield self.page(
            HOME,
            "leaderboard.html",
            boards=found,
            board_plots=board_plots(found, {batch.report.batch_id: batch.report for batch in snapshot.batches}),
            columns=COLUMNS,
            releases=release_views(snapshot),
        )
        yield self.page(
            "releases.html",
            "releases.html",
            releases=release_views(snapshot),
            log=snapshot.log,
            index_sha256=sha256_hex(snapshot.index_data),
        )
        yield self.page("metrics.html", "metrics.html", all_metrics=METRICS, all_statistics=STATISTICS)
        architecture = render_markdown(asset("architecture.md").decode())
        yield self.page("architecture.html", "content.html", title="Architecture", body=architecture)
        yield self.page(NOT_FOUND, "not_found.html")
