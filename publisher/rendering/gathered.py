"""What the pages of runs tell those of codes and tools: each code and tool with the places where a run recorded it.

Filled while runs are rendered, one at a time, so that no run is read twice; small beside what it was gathered from.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from dataset.artifacts.artifact import ToolStep
from dataset.artifacts.disclosure import Disclosed
from dataset.artifacts.outside_text import shown
from dataset.measures.run_facts import RunFacts, reason_kind
from dataset.record import BatchId
from publisher.rendering.page_names import run_page


@dataclass(frozen=True, kw_only=True, slots=True)
class Sighting:
    """A run that recorded a code. `anchor` is the place on its page that tells of it, empty where that is its top;
    `why` is what the rule said, or nothing where the code says it all."""

    batch_id: BatchId
    run: RunFacts
    anchor: str
    why: str = ""

    @property
    def href(self) -> str:
        """The page, and the place on it."""
        page = run_page(self.run.run_id)
        return f"{page}#{self.anchor}" if self.anchor else page


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolRun:
    """A run that could see a tool: how often it called it, and the codes with which calls were refused."""

    batch_id: BatchId
    run: RunFacts
    executed: int
    refused: tuple[tuple[int, str], ...]
    """The step and the code of each refusal."""


@dataclass(kw_only=True)
class ToolSeen:
    """A tool under one name: its versions with the hash of each schema, and the runs that could see it."""

    name: str
    versions: dict[tuple[str, str], None] = field(default_factory=dict)
    runs: list[ToolRun] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True, slots=True)
class RunSeen:
    """What one run adds: each code once with its first place, and each tool that it could see."""

    codes: Mapping[str, Sighting]
    tools: Mapping[tuple[str, str, str], ToolRun]


@dataclass(kw_only=True)
class Gathered:
    """Everything seen so far, in the order of the runs."""

    codes: dict[str, list[Sighting]] = field(default_factory=dict)
    tools: dict[str, ToolSeen] = field(default_factory=dict)

    def take(self, seen: RunSeen) -> None:
        """Adds what one run recorded."""
        for code, sighting in seen.codes.items():
            self.codes.setdefault(code, []).append(sighting)
        added: set[str] = set()
        for (name, version, schema), run in seen.tools.items():
            tool = self.tools.setdefault(name, ToolSeen(name=name))
            tool.versions.setdefault((version, schema))
            if name not in added:
                tool.runs.append(run)
                added.add(name)


def told_of(batch_id: BatchId, facts: RunFacts) -> RunSeen:
    """What the line of a report tells of a run by itself: why it failed or is invalid."""
    anchors = {reason_kind(reason): "assertions" for reason in facts.failure_reasons}
    if facts.invalid_reason is not None:
        anchors[facts.invalid_reason] = ""
    return RunSeen(
        codes={code: Sighting(batch_id=batch_id, run=facts, anchor=anchor) for code, anchor in anchors.items()},
        tools={},
    )


def seen_in(batch_id: BatchId, facts: RunFacts, disclosed: Disclosed) -> RunSeen:
    """What a run recorded, as far as it is public."""
    codes = dict(told_of(batch_id, facts).codes)
    for code, anchor, why in _recorded(disclosed):
        codes.setdefault(code, Sighting(batch_id=batch_id, run=facts, anchor=anchor, why=why))
    return RunSeen(codes=codes, tools=_tools(batch_id, facts, disclosed))


def _recorded(disclosed: Disclosed) -> Iterator[tuple[str, str, str]]:
    artifact, withheld = disclosed.artifact, disclosed.withheld
    if "guardrail_checks" not in withheld:
        for check in artifact.guardrail_checks:
            if check.code is not None:
                at_step = check.point != "response" and "steps" not in withheld
                yield check.code, f"step-{check.step}" if at_step else "guardrails", check.detail
    if "steps" not in withheld:
        for step in artifact.steps:
            found = [step.code] if isinstance(step, ToolStep) else [attempt.code for attempt in step.attempts]
            for code in found:
                if code is not None:
                    yield code, f"step-{step.step}", ""
    if "result" not in withheld and artifact.result.error is not None:
        yield artifact.result.error.code, "answer", artifact.result.error.message


def _tools(batch_id: BatchId, facts: RunFacts, disclosed: Disclosed) -> Mapping[tuple[str, str, str], ToolRun]:
    artifact, withheld = disclosed.artifact, disclosed.withheld
    if "visible_tools" in withheld or "steps" in withheld:
        return {}
    calls: dict[str, list[ToolStep]] = {}
    for step in artifact.steps:
        if isinstance(step, ToolStep):
            calls.setdefault(shown(step.tool), []).append(step)
    found: dict[tuple[str, str, str], ToolRun] = {}
    for visible in artifact.visible_tools:
        for tool in visible.tools:
            key = (tool.name, str(tool.version), tool.schema_hash)
            if key not in found:
                own = calls.get(tool.name, [])
                found[key] = ToolRun(
                    batch_id=batch_id,
                    run=facts,
                    executed=sum(1 for step in own if step.outcome == "executed"),
                    refused=tuple((step.step, step.code or "") for step in own if step.outcome == "refused"),
                )
    return found
