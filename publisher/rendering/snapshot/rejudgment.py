"""A batch that judges the recorded answers of another again, run beside run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from dataset.measures.run_facts import RunFacts
from publisher.rendering.page_names import batch_section_page, numbered
from publisher.rendering.snapshot.snapshot import PublishedBatch

RUNS_A_PAGE = 100
"""Runs that one page of changes tells of."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RunPair:
    """The same case, variant, repeat and model in both batches; `before` is null where the earlier one has no such
    run."""

    before: RunFacts | None
    after: RunFacts

    @property
    def anchor(self) -> str:
        """The id of its place on the page of changes."""
        return f"run-{self.after.run_id}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Rejudgment:
    """Both batches, and every planned run of the later one in its order."""

    before: PublishedBatch
    after: PublishedBatch
    pairs: tuple[RunPair, ...] = field(repr=False)

    @property
    def page(self) -> str:
        """The name of the page that tells what changed."""
        return self.part(0)

    def part(self, number: int) -> str:
        """The name of one of the pages that a long one is split into, from 0; the first has the name itself."""
        return numbered(batch_section_page(self.after.report.batch_id, "changes"), number + 1)


@dataclass(frozen=True, kw_only=True, slots=True)
class ChangesLink:
    """A way from a batch or run to a page of changes; `later` says that its answers were judged again there, else it
    is itself the second judgement."""

    batch_id: str
    href: str
    later: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class ChangesLinks:
    """The links to every page of changes, by batch id and by run id."""

    of_batch: Mapping[str, tuple[ChangesLink, ...]]
    of_run: Mapping[str, tuple[ChangesLink, ...]]


def rejudgments(batches: Sequence[PublishedBatch]) -> tuple[Rejudgment, ...]:
    """Every batch of a snapshot whose answers were recorded in another batch of it."""
    published = {batch.report.batch_id: batch for batch in batches}
    found = []
    for after in batches:
        source = after.report.replay_of
        if source is not None and source in published and source != after.report.batch_id:
            before = published[source]
            runs = {_coordinates(run): run for run in before.report.runs}
            pairs = (RunPair(before=runs.get(_coordinates(run)), after=run) for run in after.report.runs)
            found.append(Rejudgment(before=before, after=after, pairs=tuple(pairs)))
    return tuple(found)


def changes_links(found: Sequence[Rejudgment]) -> ChangesLinks:
    """Both batches and both runs of every pair lead to the place that tells of them."""
    of_batch: dict[str, list[ChangesLink]] = {}
    of_run: dict[str, list[ChangesLink]] = {}
    for again in found:
        before, after = again.before.report.batch_id, again.after.report.batch_id
        for own, later in ((before, True), (after, False)):
            link = ChangesLink(batch_id=after, href=again.page, later=later)
            of_batch.setdefault(own, []).append(link)
        for at, pair in enumerate(again.pairs):
            href = f"{again.part(at // RUNS_A_PAGE)}#{pair.anchor}"
            of_run.setdefault(pair.after.run_id, []).append(ChangesLink(batch_id=after, href=href, later=False))
            if pair.before is not None:
                of_run.setdefault(pair.before.run_id, []).append(ChangesLink(batch_id=after, href=href, later=True))
    return ChangesLinks(
        of_batch={key: tuple(links) for key, links in of_batch.items()},
        of_run={key: tuple(links) for key, links in of_run.items()},
    )


def _coordinates(run: RunFacts) -> tuple[str, str, str, int]:
    return run.model_key, run.case_id, run.variant_id, run.repeat
