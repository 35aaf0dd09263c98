"""What the page of one run shows: the artifact's nine sections, put where a person looks for them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from dataset.artifacts.artifact import Artifact
from dataset.artifacts.definition import FrozenCase
from dataset.artifacts.disclosure import Disclosed
from dataset.artifacts.withdrawn import Withdrawn
from dataset.canonical import sha256_hex
from dataset.measures.run_facts import RunFacts
from dataset.questions.variant import Variant
from publisher.projection.report import PublicCase, Report
from publisher.rendering.compare.matchup import matchups_of
from publisher.rendering.compare.paired_runs import PairedRun, paired_runs
from publisher.rendering.runs.answer import AnswerView, Grounding, answer_view, groundings
from publisher.rendering.runs.assertions import Layer, assertion_layers
from publisher.rendering.runs.context import ContextView, context_view
from publisher.rendering.runs.guard_marks import ANSWERS, GuardChain, NumberedVerdict, guard_chain, numbered
from publisher.rendering.runs.other_arms import Arms, OtherArm
from publisher.rendering.runs.passage import Passage, passage
from publisher.rendering.runs.summary import Summary, summary_of
from publisher.rendering.runs.timeline import Entry, timeline
from publisher.rendering.runs.tools import ToolsView, tools_view
from publisher.rendering.snapshot.log import LogPlace
from publisher.rendering.snapshot.rejudgment import ChangesLink
from publisher.rendering.snapshot.replay import Source
from publisher.rendering.snapshot.section_seal import SectionSeal, section_seals
from publisher.rendering.snapshot.snapshot import PublishedBatch


@dataclass(frozen=True, kw_only=True, slots=True)
class RunPlace:
    """Where a run stands: the runs before and after it in its batch, the failed ones next to it, the one that was made
    in its stead, those of the same case in other arms, and those that a comparison of its batch pairs it with.

    A superseded run has no neighbours: it isn't one of the planned.
    """

    facts: RunFacts
    previous: RunFacts | None = None
    following: RunFacts | None = None
    previous_failed: RunFacts | None = None
    following_failed: RunFacts | None = None
    superseded_by: RunFacts | None = None
    other_arms: tuple[OtherArm, ...] = ()
    paired: tuple[PairedRun, ...] = ()

    def beside(self, run_id: str) -> str | None:
        """The page of this run beside another; None where no comparison pairs them."""
        found = next((paired for paired in self.paired if paired.run.run_id == run_id), None)
        return None if found is None else found.beside(self.facts.run_id)


@dataclass(frozen=True, kw_only=True, slots=True)
class RunSurroundings:
    """What stands around a run: the batch that its answers were recorded in (None where they are its own), the pages
    that tell what a second judgement changed, and its place in the log, where there is one."""

    replay_of: Source | None = None
    changes: tuple[ChangesLink, ...] = ()
    logged: LogPlace | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class RunView:
    """The page of one run. Of a section that is withheld there is its seal, and no attribute of `artifact`."""

    artifact: Artifact
    seals: Mapping[str, SectionSeal]
    facts: RunFacts
    place: RunPlace
    around: RunSurroundings
    report: Report
    frozen: FrozenCase
    case: PublicCase
    variant: Variant
    question: Passage | None
    summary: Summary
    timeline: tuple[Entry, ...]
    verdicts: tuple[NumberedVerdict, ...]
    response: GuardChain | None
    """The verdicts on the answer."""
    answer: AnswerView | None
    groundings: tuple[Grounding, ...]
    layers: tuple[Layer, ...]
    context: ContextView | None
    tools: ToolsView
    file_sha256: str
    file_bytes: int

    def tool_with_page(self, name: str) -> str | None:
        """The name of a tool that has a page: one that this run could see, as far as both its sections are public."""
        return None if self.seals["steps"].withheld else name

    @property
    def noted(self) -> tuple[NumberedVerdict, ...]:
        """The verdicts other than “allow”."""
        return tuple(verdict for verdict in self.verdicts if verdict.check.verdict != "allow")

    @property
    def allowed(self) -> int:
        """How many verdicts allow."""
        return len(self.verdicts) - len(self.noted)

    @property
    def withheld(self) -> tuple[SectionSeal, ...]:
        """The sections that there is only a digest of."""
        return tuple(seal for seal in self.seals.values() if seal.withheld)

    @property
    def revealed(self) -> tuple[SectionSeal, ...]:
        """The sections that were withheld once."""
        return tuple(seal for seal in self.seals.values() if seal.revealed is not None)


@dataclass(frozen=True, kw_only=True, slots=True)
class WithdrawnRunView:
    """The page of a withdrawn run: its place, its hash and the reason, and nothing of what it recorded."""

    tombstone: Withdrawn
    facts: RunFacts
    place: RunPlace
    around: RunSurroundings
    report: Report
    release: int
    """The one that had brought it."""
    file_sha256: str
    file_bytes: int


def run_places(batch: PublishedBatch) -> Iterator[RunPlace]:
    """Every run of a batch: those that count in planned order, then those superseded."""
    report = batch.report
    runs, paired = report.runs, paired_runs(matchups_of(batch))
    arms = Arms(report)
    before, after = _failed_beside(runs), tuple(reversed(_failed_beside(runs[::-1])))
    later = {run.supersedes: run for run in report.every_run if run.supersedes is not None}
    for position, facts in enumerate(runs):
        yield RunPlace(
            facts=facts,
            previous=runs[position - 1] if position else None,
            following=runs[position + 1] if position + 1 < len(runs) else None,
            previous_failed=before[position],
            following_failed=after[position],
            other_arms=arms.others(facts),
            paired=paired.get(facts.run_id, ()),
        )
    for facts in report.superseded:
        superseded_by = later.get(facts.run_id)
        yield RunPlace(facts=facts, superseded_by=superseded_by, other_arms=arms.others(facts))


def _failed_beside(runs: Sequence[RunFacts]) -> tuple[RunFacts | None, ...]:
    """For each run the last failed one before it."""
    found: list[RunFacts | None] = []
    last = None
    for run in runs:
        found.append(last)
        last = run if run.verdict == "fail" else last
    return tuple(found)


def withdrawn_view(
    batch: PublishedBatch, place: RunPlace, tombstone: Withdrawn, data: bytes, around: RunSurroundings
) -> WithdrawnRunView:
    """The view of one withdrawn run of a batch."""
    return WithdrawnRunView(
        tombstone=tombstone,
        facts=place.facts,
        place=place,
        around=around,
        report=batch.report,
        release=batch.release,
        file_sha256=sha256_hex(data),
        file_bytes=len(data),
    )


def run_view(
    batch: PublishedBatch, place: RunPlace, disclosed: Disclosed, data: bytes, around: RunSurroundings
) -> RunView:
    """The view of one run of a batch, as far as its sections are public."""
    report, facts, artifact = batch.report, place.facts, disclosed.artifact
    steps = artifact.steps if disclosed.shows("steps") else ()
    verdicts = numbered(artifact.guardrail_checks) if disclosed.shows("guardrail_checks") else ()
    answered = tuple(verdict for verdict in verdicts if verdict.check.point == "response")
    checks = [verdict.check for verdict in answered]
    context = artifact.context if disclosed.shows("context") else None
    tokens = {spent.step: spent.tokens for spent in context.step_tokens} if context is not None else {}
    tools = tools_view(artifact.visible_tools if disclosed.shows("visible_tools") else (), steps)
    layers = assertion_layers(artifact.output_checks) if disclosed.shows("output_checks") else ()
    return RunView(
        artifact=artifact,
        seals=section_seals(disclosed, report, facts.case_id, batch.release),
        facts=facts,
        place=place,
        around=around,
        report=report,
        frozen=next(case for case in report.definition.cases if case.id == facts.case_id),
        case=report.cases_by_id[facts.case_id],
        variant=next(variant for variant in report.variants if variant.id == facts.variant_id),
        question=passage(artifact.case.question) if disclosed.shows("case") else None,
        summary=summary_of(disclosed, facts, layers),
        timeline=timeline(steps, verdicts, tools, tokens),
        verdicts=verdicts,
        response=guard_chain(ANSWERS, answered),
        answer=answer_view(artifact.result, steps, checks) if disclosed.shows("result") else None,
        groundings=groundings(checks),
        layers=layers,
        context=None if context is None else context_view(context),
        tools=tools,
        file_sha256=sha256_hex(data),
        file_bytes=len(data),
    )
