"""Every file of a site, one at a time: where it stands and what it holds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from jinja2 import Environment

from dataset.canonical import sha256_hex
from dataset.measures.metric import METRICS
from publisher.rendering.batch_page import batch_view
from publisher.rendering.case_page import case_views
from publisher.rendering.content_page import render_markdown
from publisher.rendering.environment import ASSETS, asset, make_environment
from publisher.rendering.leaderboard import COLUMNS, boards
from publisher.rendering.replay import source_of
from publisher.rendering.run_page import run_places, run_view
from publisher.rendering.snapshot import Snapshot
from publisher.rendering.statistic import STATISTICS
from publisher.verification.files import INDEX, report_name, run_name

NOT_FOUND = "404.html"


@dataclass(frozen=True, kw_only=True, slots=True)
class SiteFile:
    """One file: its relative name, always with `/`, and its bytes."""

    name: str
    data: bytes


def site_files(snapshot: Snapshot) -> Iterator[SiteFile]:
    """Pages, assets, and every file of the snapshot byte for byte. Holds one run in memory at a time."""
    renderer = _Renderer(make_environment(), snapshot)
    yield from renderer.top_pages()
    published = {batch.report.batch_id for batch in snapshot.batches}
    for batch in snapshot.batches:
        yield renderer.page(
            f"batches/{batch.report.batch_id}.html",
            "batch.html",
            batch=batch_view(batch.report),
            replay_of=source_of(batch.report, published),
            release=batch.release,
        )
        yield SiteFile(name=report_name(batch.report.batch_id), data=batch.data)
    for view in case_views(snapshot.batches):
        yield renderer.page(f"cases/{view.case_id}.html", "case.html", case=view)
    for batch in snapshot.batches:
        source = source_of(batch.report, published)
        for place in run_places(batch.report):
            run_id = place.facts.run_id
            artifact, data = snapshot.run(batch, place.facts)
            run = run_view(batch.report, place, artifact, data, source)
            yield renderer.page(f"runs/{run_id}.html", "run.html", run=run)
            yield SiteFile(name=run_name(run_id), data=data)
    yield SiteFile(name=INDEX, data=snapshot.index_data)
    for name in ASSETS:
        yield SiteFile(name=name, data=asset(name))


class _Renderer:
    def __init__(self, environment: Environment, snapshot: Snapshot) -> None:
        self._environment = environment
        self._snapshot = snapshot

    def page(self, name: str, template: str, **content: Any) -> SiteFile:
        root = "../" * name.count("/")
        text = self._environment.get_template(template).render(root=root, synthetic=self._snapshot.synthetic, **content)
        return SiteFile(name=name, data=text.encode())

    def top_pages(self) -> Iterator[SiteFile]:
        snapshot = self._snapshot
        yield self.page(
            "index.html",
            "leaderboard.html",
            boards=boards(snapshot.batches),
            columns=COLUMNS,
            releases=tuple(reversed(snapshot.index.releases)),
            reports={batch.report.batch_id: batch.report for batch in snapshot.batches},
            index_sha256=sha256_hex(snapshot.index_data),
        )
        yield self.page("metrics.html", "metrics.html", all_metrics=METRICS, all_statistics=STATISTICS)
        architecture = render_markdown(asset("architecture.md").decode())
        yield self.page("architecture.html", "content.html", title="Architecture", body=architecture)
        yield self.page(NOT_FOUND, "not_found.html")
