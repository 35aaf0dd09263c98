"""The timeline of a run: each step with what was new to the model in it, and every verdict that belongs to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from dataset.artifacts.artifact import ModelStep, Step, ToolCallRecord, ToolStep
from dataset.artifacts.outside_text import OutsideText, shown
from publisher.rendering.runs.guard_marks import CALLS, GATES, GuardChain, NumberedVerdict, guard_chain
from publisher.rendering.runs.passage import Passage, passage
from publisher.rendering.runs.tools import Search, StepTools, ToolsView
from publisher.rendering.visible_text import marked_up


@dataclass(frozen=True, kw_only=True, slots=True)
class Arguments:
    """Arguments as the model wrote them; `parsed` is their canonical form where that is another text, and `json` says
    whether there is one."""

    raw: Passage
    parsed: Passage | None
    json: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Call:
    """One call of a model step under its place in it, from 1; `answer` is the step that answered it."""

    number: int
    name: Markup
    linked_tool: str | None
    """The tool's name where the tool has a page."""
    id: Markup
    arguments: Arguments
    answer: int | None


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelEntry:
    """One reply of the model. `news` are the steps whose results it is the first to see; `first` that the opening was
    new to it; `tokens` what it was given in all, null where that isn't recorded."""

    number: int
    step: ModelStep
    gates: GuardChain | None
    first: bool
    news: tuple[int, ...]
    tokens: int | None
    tools: StepTools | None
    said: Passage | None
    calls: tuple[Call, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolEntry:
    """One answered call. `call` is the model step that made it and the call's place in it; `arguments` is there where
    no step made it, so that they stand nowhere else."""

    number: int
    step: ToolStep
    chain: GuardChain | None
    name: Markup
    linked_tool: str | None
    code: Markup | None
    call_id: Markup
    call: tuple[int, int] | None
    arguments: Arguments | None
    search: Search | None
    result: Passage


@dataclass(frozen=True, kw_only=True, slots=True)
class ShutEntry:
    """A step that a gate kept from being taken."""

    number: int
    gates: GuardChain | None
    step: None = None


Entry = ModelEntry | ToolEntry | ShutEntry


def timeline(
    steps: Sequence[Step], verdicts: Sequence[NumberedVerdict], tools: ToolsView, tokens: dict[int, int]
) -> tuple[Entry, ...]:
    """Every entry in order; `tokens` by step. Verdicts on the answer stand elsewhere."""
    checks: dict[int, list[NumberedVerdict]] = {}
    for verdict in verdicts:
        if verdict.check.point != "response":
            checks.setdefault(verdict.check.step, []).append(verdict)
    return tuple(_Timeline(steps, checks, tools, tokens).entries())


class _Timeline:
    def __init__(
        self,
        steps: Sequence[Step],
        checks: dict[int, list[NumberedVerdict]],
        tools: ToolsView,
        tokens: dict[int, int],
    ) -> None:
        self._steps = {step.step: step for step in steps}
        self._checks, self._tools, self._tokens = checks, tools, tokens
        self._seen = {visible.step: visible for visible in tools.steps}
        self._pages = {tool.name for tool in tools.seen} if steps else set[str]()
        self._made, self._answered = _pairs(steps)

    def entries(self) -> Iterator[Entry]:
        news: list[int] = []
        first = True
        for number in sorted(self._steps.keys() | self._checks.keys()):
            step = self._steps.get(number)
            if isinstance(step, ModelStep):
                yield self._model(step, tuple(news), first)
                news, first = [], False
            elif isinstance(step, ToolStep):
                yield self._tool(step)
                news.append(number)
            else:
                yield ShutEntry(number=number, gates=guard_chain(GATES, self._checks[number]))

    def _model(self, step: ModelStep, news: tuple[int, ...], first: bool) -> ModelEntry:
        return ModelEntry(
            number=step.step,
            step=step,
            gates=guard_chain(GATES, self._checks.get(step.step, ())),
            first=first,
            news=news,
            tokens=self._tokens.get(step.step),
            tools=self._seen.get(step.step),
            said=None if step.text is None or step.text == "" else passage(step.text),
            calls=tuple(
                self._call(call, number, self._answered.get((step.step, number)))
                for number, call in enumerate(step.tool_calls, start=1)
            ),
        )

    def _call(self, call: ToolCallRecord, number: int, answer: int | None) -> Call:
        return Call(
            number=number,
            name=marked_up(shown(call.name)),
            linked_tool=self._linked_tool(call.name),
            id=marked_up(shown(call.id)),
            arguments=_arguments(call.arguments_raw, call.arguments_parsed),
            answer=answer,
        )

    def _tool(self, step: ToolStep) -> ToolEntry:
        call = self._made.get(step.step)
        return ToolEntry(
            number=step.step,
            step=step,
            chain=guard_chain(CALLS, self._checks.get(step.step, ())),
            name=marked_up(shown(step.tool)),
            linked_tool=self._linked_tool(step.tool),
            code=None if step.code is None else marked_up(step.code),
            call_id=marked_up(shown(step.call_id)),
            call=call,
            arguments=_arguments(step.arguments_raw, step.arguments_parsed) if call is None else None,
            search=self._tools.searches.get(step.step),
            result=passage(step.result),
        )

    def _linked_tool(self, name: OutsideText) -> str | None:
        """Tools that the run could see have pages; what else a model calls need not even be a name."""
        return name if isinstance(name, str) and name in self._pages else None


def _arguments(raw: OutsideText, parsed: str | None) -> Arguments:
    other = parsed is not None and parsed != raw
    return Arguments(raw=passage(raw), parsed=passage(parsed) if other and parsed else None, json=parsed is not None)


def _pairs(steps: Sequence[Step]) -> tuple[dict[int, tuple[int, int]], dict[tuple[int, int], int]]:
    """By the step of each answer the call that it is of, and the other way round; a call is a model step and a place
    in it. Ids alone don't tell: a model may give the same one twice. So the arguments must be the same too."""
    waiting: list[tuple[int, int, ToolCallRecord]] = []
    made: dict[int, tuple[int, int]] = {}
    for step in steps:
        if isinstance(step, ModelStep):
            waiting = [(step.step, number, call) for number, call in enumerate(step.tool_calls, start=1)]
            continue
        for found in waiting:
            if (found[2].id, found[2].arguments_raw) == (step.call_id, step.arguments_raw):
                made[step.step] = found[:2]
                waiting.remove(found)
                break
    return made, {call: answer for answer, call in made.items()}
