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
from publisher.rendering.page_names import run_page

_MOST_WORDS = 4_000
"""Characters of a question or an answer that the search looks at."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SeenCode:
    """A code that a run recorded. `anchor` is the place on its page that tells of it, empty where that is its top;
    `why` is what the rule said, or nothing where the code says it all."""

    code: str
    anchor: str
    why: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class SeenTool:
    """A tool that a run could see: how often it was answered, and the step and code of each refusal."""

    name: str
    version: int
    schema_hash: str
    executed: int
    refused: tuple[tuple[int, str], ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class RunSeen:
    """What one run adds: each code once with its first place, and each tool that it could see."""

    run_id: str
    codes: tuple[SeenCode, ...]
    tools: tuple[SeenTool, ...] = ()
    text: str = ""
    """What was asked and answered, for the search."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Sighting:
    """A code in a run."""

    run: RunFacts
    seen: SeenCode

    @property
    def href(self) -> str:
        """The page, and the place on it."""
        page = run_page(self.run.run_id)
        return f"{page}#{self.seen.anchor}" if self.seen.anchor else page


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolRun:
    """A tool in a run."""

    run: RunFacts
    seen: SeenTool


@dataclass(kw_only=True)
class Gathered:
    """Everything seen so far, in the order of the runs. `lines` are those of the reports, by run id."""

    lines: Mapping[str, RunFacts] = field(repr=False)
    codes: dict[str, list[Sighting]] = field(default_factory=dict)
    tools: dict[str, list[ToolRun]] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict, repr=False)

    def take(self, seen: RunSeen) -> None:
        """Adds what one run recorded."""
        run = self.lines[seen.run_id]
        if seen.text:
            self.texts[seen.run_id] = seen.text
        for code in seen.codes:
            self.codes.setdefault(code.code, []).append(Sighting(run=run, seen=code))
        for tool in seen.tools:
            self.tools.setdefault(tool.name, []).append(ToolRun(run=run, seen=tool))


def told_of(facts: RunFacts) -> RunSeen:
    """What the line of a report tells of a run by itself: why it failed or is invalid."""
    return RunSeen(run_id=facts.run_id, codes=tuple(_told(facts)))


def seen_in(facts: RunFacts, disclosed: Disclosed) -> RunSeen:
    """What a run recorded, as far as it is public."""
    first: dict[str, SeenCode] = {}
    for seen in (*_told(facts), *_recorded(disclosed)):
        first.setdefault(seen.code, seen)
    text = " ".join(_words(disclosed))
    return RunSeen(run_id=facts.run_id, codes=tuple(first.values()), tools=tuple(_tools(disclosed)), text=text)


def _words(disclosed: Disclosed) -> Iterator[str]:
    artifact = disclosed.artifact
    if disclosed.shows("case"):
        yield shown(artifact.case.question)[:_MOST_WORDS]
    if disclosed.shows("result") and artifact.result.final_output is not None:
        yield shown(artifact.result.final_output)[:_MOST_WORDS]


def _told(facts: RunFacts) -> Iterator[SeenCode]:
    for kind in dict.fromkeys(map(reason_kind, facts.failure_reasons)):
        yield SeenCode(code=kind, anchor="assertions")
    if facts.invalid_reason is not None:
        yield SeenCode(code=facts.invalid_reason, anchor="")


def _recorded(disclosed: Disclosed) -> Iterator[SeenCode]:
    artifact = disclosed.artifact
    if disclosed.shows("guardrail_checks"):
        for check in artifact.guardrail_checks:
            if check.code is not None:
                at_step = check.point != "response" and disclosed.shows("steps")
                anchor = f"step-{check.step}" if at_step else "guardrails"
                yield SeenCode(code=check.code, anchor=anchor, why=check.detail)
    if disclosed.shows("steps"):
        for step in artifact.steps:
            found = [step.code] if isinstance(step, ToolStep) else [attempt.code for attempt in step.attempts]
            for code in found:
                if code is not None:
                    yield SeenCode(code=code, anchor=f"step-{step.step}")
    if disclosed.shows("result") and artifact.result.error is not None:
        yield SeenCode(code=artifact.result.error.code, anchor="answer", why=artifact.result.error.message)


def _tools(disclosed: Disclosed) -> Iterator[SeenTool]:
    if not disclosed.shows("visible_tools", "steps"):
        return
    calls: dict[str, list[ToolStep]] = {}
    for step in disclosed.artifact.steps:
        if isinstance(step, ToolStep):
            calls.setdefault(shown(step.tool), []).append(step)
    tools = {tool.name: tool for visible in disclosed.artifact.visible_tools for tool in visible.tools}
    for name, tool in tools.items():
        own = calls.get(name, [])
        yield SeenTool(
            name=name,
            version=tool.version,
            schema_hash=tool.schema_hash,
            executed=sum(1 for step in own if step.outcome == "executed"),
            refused=tuple((step.step, step.code or "") for step in own if step.outcome == "refused"),
        )
