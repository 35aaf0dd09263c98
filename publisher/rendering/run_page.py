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
    VisibleTool,
)
from dataset.canonical import sha256_hex
from dataset.measures.run_facts import RunFacts
from dataset.measures.truncation import is_truncated
from dataset.questions.variant import Variant
from publisher.projection.report import PublicCase, Report
from publisher.rendering.replay import Source


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """One entry of the timeline: what was said or answered, and every verdict that belongs to it.

    `step` is null where a gate stayed shut, so that no step followed; `tools` are those that a model step could see.
    """

    number: int
    step: Step | None
    checks: tuple[GuardrailCheck, ...]
    tools: tuple[VisibleTool, ...] = ()


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
class LoadedTools:
    """The same tools, and the model steps that saw exactly them."""

    steps: tuple[int, ...]
    delivery: str
    tools: tuple[VisibleTool, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class RunPlace:
    """Where a run stands: the runs before and after it in its batch, and the one that was made in its stead.

    A superseded run has no neighbours: it isn't one of the planned.
    """

    facts: RunFacts
    previous: RunFacts | None = None
    following: RunFacts | None = None
    superseded_by: RunFacts | None = None


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
    loaded: tuple[LoadedTools, ...]
    answer_unchanged: bool
    truncated: bool
    file_sha256: str
    file_bytes: int


def run_places(report: Report) -> Iterator[RunPlace]:
    """Every run of a report: those that count in planned order, then those superseded."""
    runs = report.runs
    later = {run.supersedes: run for run in report.every_run if run.supersedes is not None}
    for position, facts in enumerate(runs):
        yield RunPlace(
            facts=facts,
            previous=runs[position - 1] if position else None,
            following=runs[position + 1] if position + 1 < len(runs) else None,
        )
    for facts in report.superseded:
        yield RunPlace(facts=facts, superseded_by=later.get(facts.run_id))


def run_view(report: Report, place: RunPlace, artifact: Artifact, data: bytes, replay_of: Source | None) -> RunView:
    """The view of one run of a report."""
    facts = place.facts
    final = artifact.result.final_output.encode()
    return RunView(
        artifact=artifact,
        facts=facts,
        place=place,
        report=report,
        replay_of=replay_of,
        case=next(case for case in report.cases if case.question.id == facts.case_id),
        variant=next(variant for variant in report.variants if variant.id == facts.variant_id),
        timeline=_timeline(artifact),
        response_checks=tuple(check for check in artifact.guardrail_checks if check.point == "response"),
        layers=tuple(_layer(name, artifact) for name in LAYERS),
        loaded=_loaded(artifact),
        answer_unchanged=sha256_hex(final) == artifact.result.raw_output_sha256,
        truncated=is_truncated(artifact.result),
        file_sha256=sha256_hex(data),
        file_bytes=len(data),
    )


def _timeline(artifact: Artifact) -> tuple[Entry, ...]:
    checks: dict[int, list[GuardrailCheck]] = {}
    for check in artifact.guardrail_checks:
        if check.point != "response":
            checks.setdefault(check.step, []).append(check)
    tools = {visible.step: visible.tools for visible in artifact.visible_tools}
    steps = {step.step: step for step in artifact.steps}
    return tuple(
        Entry(
            number=number,
            step=steps.get(number),
            checks=tuple(checks.get(number, ())),
            tools=tools.get(number, ()) if isinstance(steps.get(number), ModelStep) else (),
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


def _loaded(artifact: Artifact) -> tuple[LoadedTools, ...]:
    found: dict[tuple[str, tuple[VisibleTool, ...]], list[int]] = {}
    for visible in artifact.visible_tools:
        found.setdefault((visible.delivery, visible.tools), []).append(visible.step)
    return tuple(
        LoadedTools(steps=tuple(steps), delivery=delivery, tools=tools) for (delivery, tools), steps in found.items()
    )
