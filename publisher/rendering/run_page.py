"""What the page of one run shows: the artifact's nine sections, put where a person looks for them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from dataset.artifacts.artifact import (
    LAYERS,
    Artifact,
    GuardrailCheck,
    LayerName,
    ModelStep,
    OutputCheck,
    Step,
)
from dataset.artifacts.definition import FrozenCase
from dataset.artifacts.disclosure import Disclosed
from dataset.artifacts.withdrawn import Withdrawn
from dataset.canonical import sha256_hex
from dataset.measures.run_facts import RunFacts
from dataset.measures.truncation import is_truncated
from dataset.questions.variant import Variant
from publisher.projection.report import PublicCase, Report
from publisher.rendering.context_view import ContextView, context_view
from publisher.rendering.log_view import LogPlace
from publisher.rendering.other_arms import Arms, OtherArm
from publisher.rendering.rejudgment import ChangesLink
from publisher.rendering.replay import Source
from publisher.rendering.section_seal import SectionSeal, section_seals
from publisher.rendering.snapshot import PublishedBatch
from publisher.rendering.tool_view import Search, StepTools, ToolsView, tools_view


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """One entry of the timeline: what was said or answered, and every verdict that belongs to it.

    `step` is null where a gate stayed shut, so that no step followed; `tools` are those that a model step could see,
    `search` is there where the step is a search for tools.
    """

    number: int
    step: Step | None
    checks: tuple[GuardrailCheck, ...]
    tools: StepTools | None = None
    search: Search | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class NumberedCheck:
    """An assertion under its place in the artifact, from 1: the place names it in links."""

    number: int
    check: OutputCheck


@dataclass(frozen=True, kw_only=True, slots=True)
class Layer:
    """The assertions of one layer, failed first."""

    name: LayerName
    checks: tuple[NumberedCheck, ...]
    failed: int


@dataclass(frozen=True, kw_only=True, slots=True)
class RunPlace:
    """Where a run stands: the runs before and after it in its batch, the one that was made in its stead, and those of
    the same case in other arms.

    A superseded run has no neighbours: it isn't one of the planned.
    """

    facts: RunFacts
    previous: RunFacts | None = None
    following: RunFacts | None = None
    superseded_by: RunFacts | None = None
    other_arms: tuple[OtherArm, ...] = ()


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
    timeline: tuple[Entry, ...]
    response_checks: tuple[GuardrailCheck, ...]
    layers: tuple[Layer, ...]
    context: ContextView | None
    tools: ToolsView
    answer_unchanged: bool
    truncated: bool
    file_sha256: str
    file_bytes: int

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


def run_places(report: Report) -> Iterator[RunPlace]:
    """Every run of a report: those that count in planned order, then those superseded."""
    runs = report.runs
    arms = Arms(report)
    later = {run.supersedes: run for run in report.every_run if run.supersedes is not None}
    for position, facts in enumerate(runs):
        yield RunPlace(
            facts=facts,
            previous=runs[position - 1] if position else None,
            following=runs[position + 1] if position + 1 < len(runs) else None,
            other_arms=arms.others(facts),
        )
    for facts in report.superseded:
        superseded_by = later.get(facts.run_id)
        yield RunPlace(facts=facts, superseded_by=superseded_by, other_arms=arms.others(facts))


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
    checks = artifact.guardrail_checks if disclosed.shows("guardrail_checks") else ()
    result = artifact.result if disclosed.shows("result") else None
    tools = tools_view(artifact.visible_tools if disclosed.shows("visible_tools") else (), steps)
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
        timeline=_timeline(steps, checks, tools),
        response_checks=tuple(check for check in checks if check.point == "response"),
        layers=tuple(_layer(name, artifact) for name in LAYERS) if disclosed.shows("output_checks") else (),
        context=context_view(artifact.context) if disclosed.shows("context") else None,
        tools=tools,
        answer_unchanged=result is not None and sha256_hex(result.final_output.encode()) == result.raw_output_sha256,
        truncated=result is not None and is_truncated(result),
        file_sha256=sha256_hex(data),
        file_bytes=len(data),
    )


def _timeline(steps: Sequence[Step], verdicts: Sequence[GuardrailCheck], tools: ToolsView) -> tuple[Entry, ...]:
    checks: dict[int, list[GuardrailCheck]] = {}
    for check in verdicts:
        if check.point != "response":
            checks.setdefault(check.step, []).append(check)
    seen = {visible.step: visible for visible in tools.steps}
    by_number = {step.step: step for step in steps}
    return tuple(
        Entry(
            number=number,
            step=by_number.get(number),
            checks=tuple(checks.get(number, ())),
            tools=seen.get(number) if isinstance(by_number.get(number), ModelStep) else None,
            search=tools.searches.get(number),
        )
        for number in sorted(by_number.keys() | checks.keys())
    )


def _layer(name: LayerName, artifact: Artifact) -> Layer:
    own = [
        NumberedCheck(number=number, check=check)
        for number, check in enumerate(artifact.output_checks, start=1)
        if check.layer == name
    ]
    own.sort(key=lambda numbered: (numbered.check.passed, numbered.number))
    return Layer(name=name, checks=tuple(own), failed=sum(1 for numbered in own if not numbered.check.passed))
