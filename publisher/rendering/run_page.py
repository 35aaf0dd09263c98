"""What the page of one run shows: the artifact's nine sections, put where a person looks for them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dataset.artifacts.artifact import (
    LAYERS,
    Artifact,
    GuardrailCheck,
    LayerName,
    LayerVerdict,
    ModelStep,
    OutputCheck,
    Step,
)
from dataset.canonical import sha256_hex
from dataset.measures.run_facts import RunFacts
from dataset.measures.truncation import is_truncated
from dataset.questions.variant import Variant
from publisher.projection.report import PublicCase, Report
from publisher.rendering.context_view import ContextView, context_view
from publisher.rendering.other_arms import Arms, OtherArm
from publisher.rendering.replay import Source
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
    verdict: LayerVerdict
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
class RunView:
    """The page of one run. `replay_of` is the batch that its answers were recorded in, None where they are its own."""

    artifact: Artifact
    facts: RunFacts
    place: RunPlace
    report: Report
    replay_of: Source | None
    case: PublicCase
    variant: Variant
    timeline: tuple[Entry, ...]
    response_checks: tuple[GuardrailCheck, ...]
    layers: tuple[Layer, ...]
    context: ContextView
    tools: ToolsView
    answer_unchanged: bool
    truncated: bool
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


def run_view(report: Report, place: RunPlace, artifact: Artifact, data: bytes, replay_of: Source | None) -> RunView:
    """The view of one run of a report."""
    facts = place.facts
    tools = tools_view(artifact)
    final = artifact.result.final_output.encode()
    return RunView(
        artifact=artifact,
        facts=facts,
        place=place,
        report=report,
        replay_of=replay_of,
        case=report.cases_by_id[facts.case_id],
        variant=next(variant for variant in report.variants if variant.id == facts.variant_id),
        timeline=_timeline(artifact, tools),
        response_checks=tuple(check for check in artifact.guardrail_checks if check.point == "response"),
        layers=tuple(_layer(name, artifact) for name in LAYERS),
        context=context_view(artifact.context),
        tools=tools,
        answer_unchanged=sha256_hex(final) == artifact.result.raw_output_sha256,
        truncated=is_truncated(artifact.result),
        file_sha256=sha256_hex(data),
        file_bytes=len(data),
    )


def _timeline(artifact: Artifact, tools: ToolsView) -> tuple[Entry, ...]:
    checks: dict[int, list[GuardrailCheck]] = {}
    for check in artifact.guardrail_checks:
        if check.point != "response":
            checks.setdefault(check.step, []).append(check)
    seen = {visible.step: visible for visible in tools.steps}
    steps = {step.step: step for step in artifact.steps}
    return tuple(
        Entry(
            number=number,
            step=steps.get(number),
            checks=tuple(checks.get(number, ())),
            tools=seen.get(number) if isinstance(steps.get(number), ModelStep) else None,
            search=tools.searches.get(number),
        )
        for number in sorted(steps.keys() | checks.keys())
    )


def _layer(name: LayerName, artifact: Artifact) -> Layer:
    own = [
        NumberedCheck(number=number, check=check)
        for number, check in enumerate(artifact.output_checks, start=1)
        if check.layer == name
    ]
    own.sort(key=lambda numbered: (numbered.check.passed, numbered.number))
    return Layer(
        name=name,
        verdict=artifact.judgment.layers.get(name, "none"),
        checks=tuple(own),
        failed=sum(1 for numbered in own if not numbered.check.passed),
    )
