"""What a page is before it is rendered: a template and what it shows, in no language yet."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Generic, Protocol, TypeVar

from dataset.artifacts.definition import FrozenModel
from dataset.canonical import sha256_hex
from dataset.record import BatchId
from publisher.exports.address import SiteAddress
from publisher.projection.report import Report
from publisher.rendering.boards.board import Board, boards
from publisher.rendering.building.content_key import content_key
from publisher.rendering.cards.card import Card
from publisher.rendering.cards.site_cards import site_cards
from publisher.rendering.language.message import Message
from publisher.rendering.page_names import HOME, card_file
from publisher.rendering.pages.gathered import Gathered, RunSeen
from publisher.rendering.preview_notice import PreviewNotice
from publisher.rendering.site.file import SiteFile
from publisher.rendering.snapshot.rejudgment import ChangesLinks, Rejudgment, changes_links, rejudgments
from publisher.rendering.snapshot.snapshot import PublishedBatch, Snapshot
from publisher.rendering.views.model import ModelView, model_views
from publisher.rendering.views.release import ReleaseView, Standing, release_views, standing_of
from publisher.verification.files import run_name


@dataclass(frozen=True, kw_only=True, slots=True)
class Crumb:
    """One step on the way from the leaderboard to a page; `name` is the page that it leads to."""

    title: str | Message
    name: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Page:
    """One page. It stands at `name` below the root of each language's pages.

    `content` is what its template prints, by name; `crumbs` lead to it from the leaderboard, itself excepted.
    """

    name: str
    template: str
    content: Mapping[str, Any] = field(default_factory=dict, repr=False)
    crumbs: tuple[Crumb, ...] = ()
    release: int | None = None
    """The release whose place in the log the page tells: the one that brought what it shows, so that the page stays as
    it is when others follow. None: the latest."""


@dataclass(frozen=True, kw_only=True)
class SiteSource:
    """What pages are made from: the snapshot, where the site will stand if that is known, and what several families
    look up, worked out once."""

    snapshot: Snapshot
    address: SiteAddress | None = None
    preview: PreviewNotice | None = None
    """What the pages of a preview say of it; None: these are pages of a release."""

    @cached_property
    def gathered(self) -> Gathered:
        """What the pages of runs have told so far, for pages that come after them."""
        lines = {str(run.run_id): run for batch in self.snapshot.batches for run in batch.report.every_run}
        return Gathered(lines=lines)

    @cached_property
    def standing(self) -> Standing:
        """How the snapshot stands: its latest release."""
        return standing_of(self.snapshot)

    def standing_at(self, release: int | None) -> Standing:
        """How it stood after one release; None: the latest."""
        return self.standing if release is None else self._standings[release - 1]

    @cached_property
    def _standings(self) -> tuple[Standing, ...]:
        return tuple(standing_of(self.snapshot, number) for number in range(1, self.standing.number + 1))

    def logged_at(self, release: int) -> object:
        """What a page that tells its place in the log shows of it: one release, as its key needs it."""
        logged = self.standing_at(release).logged
        return release, logged and (logged.size, logged.signers)

    def run_sha256(self, run_id: str) -> str:
        """sha256 of the file of a run, read once."""
        if run_id not in self._run_digests:
            self._run_digests[run_id] = sha256_hex(self.snapshot.file(run_name(run_id)))
        return self._run_digests[run_id]

    @cached_property
    def _run_digests(self) -> dict[str, str]:
        return {}

    @cached_property
    def whole(self) -> str:
        """A hash over all that any file of a site may show, besides the code: the snapshot, and the address.

        The index holds the sha256 of each report, and the latest checkpoint fixes the entries of the log.
        """
        log, runs = self.snapshot.log, [run.run_id for batch in self.snapshot.batches for run in batch.report.every_run]
        return content_key(
            self.snapshot.index_data,
            [batch.report.batch_id for batch in self.snapshot.batches],
            log and (log.origin, log.keys, log.log.checkpoints, log.releases),
            [self.run_sha256(run_id) for run_id in runs],
            self.address,
        )

    @cached_property
    def report_sha256(self) -> Mapping[BatchId, str]:
        """sha256 of the file of each report."""
        return {entry.batch_id: entry.sha256 for entry in self.snapshot.index.reports}

    @cached_property
    def boards(self) -> tuple[Board, ...]:
        """The tables of the leaderboard."""
        return boards(self.snapshot.batches)

    @cached_property
    def releases(self) -> tuple[ReleaseView, ...]:
        """Every release, latest first."""
        return release_views(self.snapshot)

    @cached_property
    def reports(self) -> Mapping[BatchId, Report]:
        """Every report by its batch."""
        return {batch.report.batch_id: batch.report for batch in self.snapshot.batches}

    @cached_property
    def batches(self) -> Mapping[BatchId, PublishedBatch]:
        """Every batch by its id."""
        return {batch.report.batch_id: batch for batch in self.snapshot.batches}

    @cached_property
    def models(self) -> Mapping[str, FrozenModel]:
        """Every model by its key, as it was frozen last."""
        return {model.key: model for batch in self.snapshot.batches for model in batch.report.definition.models}

    @cached_property
    def model_views(self) -> tuple[ModelView, ...]:
        """Every model, by its key."""
        return model_views(self.snapshot.batches, self.boards)

    @cached_property
    def cards(self) -> Mapping[str, Card]:
        """The pictures that stand for pages, by the pages' names."""
        return site_cards(
            batches=self.snapshot.batches,
            boards=self.boards,
            models=self.model_views,
            releases=self.releases,
            standing=self.standing,
            synthetic=self.snapshot.synthetic,
        )

    def card_of(self, page: str) -> str:
        """The file of the picture that stands for a page: its own, or that of the front page."""
        return card_file(page if page in self.cards else HOME)

    @cached_property
    def rejudgments(self) -> tuple[Rejudgment, ...]:
        """Every batch that judges another again."""
        return rejudgments(self.snapshot.batches)

    @cached_property
    def changes(self) -> ChangesLinks:
        """The ways to the pages of what a second judgement changed."""
        return changes_links(self.rejudgments)


Made = Page | SiteFile | RunSeen
"""What a family gives: a page, a file that stands at the site's root once for all languages, or what a run tells the
families that come later."""


class PageFamily(Protocol):
    """One kind of page: all pages of it, in an order that follows from the snapshot, each with files of the snapshot
    that belong beside it. Holds no more than a run or two in memory."""

    def __call__(self, source: SiteSource) -> Iterator[Made]:
        """Everything of this kind."""
        ...


_Job = TypeVar("_Job")


@dataclass(frozen=True, kw_only=True, slots=True)
class JobFamily(Generic[_Job]):
    """A family that is large: a job for each page or few. Jobs don't need one another, so several processes may do
    them, and one whose key is the same as in an earlier build gives the same files.

    `key` is a hash over all that a job's files follow from, besides the code; `name` tells families apart. Fewer jobs
    than `few` aren't worth a process.
    """

    name: str
    jobs: Callable[[SiteSource], Sequence[_Job]]
    made: Callable[[SiteSource, _Job], Iterator[Made]]
    key: Callable[[SiteSource, _Job], str]
    few: int = 64

    def __call__(self, source: SiteSource) -> Iterator[Made]:
        """Every job after another."""
        for job in self.jobs(source):
            yield from self.made(source, job)


def as_one_job(name: str, family: Callable[[SiteSource], Iterator[Made]]) -> JobFamily[None]:
    """A family whose pages tell how the latest release stands, and so are others after any: its key is that of the
    whole snapshot."""
    return JobFamily(
        name=name,
        jobs=lambda _source: (None,),
        made=lambda source, _job: family(source),
        key=lambda source, _job: source.whole,
    )
