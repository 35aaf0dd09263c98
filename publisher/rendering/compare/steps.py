"""The timelines of two runs, step beside step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dataset.artifacts.artifact import ModelStep, Step, ToolCallRecord, ToolStep
from dataset.artifacts.outside_text import OutsideText, shown
from publisher.rendering.compare.alignment import aligned, shared
from publisher.rendering.compare.argument_difference import ValueDifference, value_differences
from publisher.rendering.compare.room import Room, TextPair

MOST_CALLS = 20
"""Calls of a step that a page shows."""
MOST_ROWS = 60
"""Rows that a page shows; of a longer timeline it says how many more there are."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ArgumentPair:
    """The arguments of two calls. `differences` is null where one side's aren't JSON, or there is one side only: then
    `raw` shows them as they were written."""

    equal: bool
    differences: tuple[ValueDifference, ...] | None
    raw: TextPair | None


@dataclass(frozen=True, kw_only=True, slots=True)
class CallPair:
    """A call of either side, null where there is none; names as they may be read."""

    left: str | None
    right: str | None
    arguments: ArgumentPair


@dataclass(frozen=True, kw_only=True, slots=True)
class StepRow:
    """A step of either side; null where the other run has none that it belongs to. `text` is what was said or, of a
    tool, the result as the model saw it."""

    left: Step | None
    right: Step | None
    text: TextPair
    calls: tuple[CallPair, ...]
    further_calls: int

    @property
    def kind(self) -> str:
        """Whose step it is: the model's or a tool's."""
        return (self.left or self.right).kind  # type: ignore[union-attr]

    @property
    def equal(self) -> bool:
        """Whether both sides did the same."""
        both = self.left is not None and self.right is not None
        alike = all(call.left == call.right and call.arguments.equal for call in self.calls)
        return both and self.text.equal and alike and not self.further_calls


def step_rows(left: Sequence[Step], right: Sequence[Step], room: Room) -> tuple[tuple[StepRow, ...], int]:
    """The rows that are shown, and how many there are in all."""
    rows = list(_rows(left, right))
    return tuple(_row(one, other, room) for one, other in rows[:MOST_ROWS]), len(rows)


def _rows(left: Sequence[Step], right: Sequence[Step]) -> Iterator[tuple[Step | None, Step | None]]:
    """Steps of the same kind and tool stand side by side; of what is left between them, tool steps pair in order."""
    places = shared([_sign(step) for step in left], [_sign(step) for step in right]) or []
    waiting: tuple[list[Step], list[Step]] = ([], [])
    for one, other in aligned(left, right, places):
        if one is not None and other is not None:
            yield from _paired(*waiting)
            waiting = ([], [])
            yield one, other
        elif one is not None:
            waiting[0].append(one)
        elif other is not None:
            waiting[1].append(other)
    yield from _paired(*waiting)


def _sign(step: Step) -> tuple[str, OutsideText | None]:
    return step.kind, step.tool if isinstance(step, ToolStep) else None


def _paired(left: Sequence[Step], right: Sequence[Step]) -> Iterator[tuple[Step | None, Step | None]]:
    ours, theirs = list(left), list(right)
    while ours and theirs:
        if ours[0].kind == theirs[0].kind:
            yield ours.pop(0), theirs.pop(0)
        elif ours[0].kind == "model":
            yield ours.pop(0), None
        else:
            yield None, theirs.pop(0)
    yield from ((step, None) for step in ours)
    yield from ((None, step) for step in theirs)


def _row(left: Step | None, right: Step | None, room: Room) -> StepRow:
    calls = list(_calls(_called(left), _called(right)))
    return StepRow(
        left=left,
        right=right,
        text=room.pair(_said(left), _said(right)),
        calls=tuple(_call(one, other, room) for one, other in calls[:MOST_CALLS]),
        further_calls=max(0, len(calls) - MOST_CALLS),
    )


def _said(step: Step | None) -> OutsideText | None:
    return step.result if isinstance(step, ToolStep) else step.text if isinstance(step, ModelStep) else None


def _called(step: Step | None) -> tuple[ToolCallRecord, ...]:
    return step.tool_calls if isinstance(step, ModelStep) else ()


_Calls = Sequence[ToolCallRecord]


def _calls(left: _Calls, right: _Calls) -> Iterator[tuple[ToolCallRecord | None, ToolCallRecord | None]]:
    """Calls of the same tool with the same arguments stand side by side; of what is left, those of the same tool."""
    places = shared([_asked(call) for call in left], [_asked(call) for call in right]) or []
    waiting: tuple[list[ToolCallRecord], list[ToolCallRecord]] = ([], [])
    for one, other in aligned(left, right, places):
        if one is not None and other is not None:
            yield from _by_name(*waiting)
            waiting = ([], [])
            yield one, other
        elif one is not None:
            waiting[0].append(one)
        elif other is not None:
            waiting[1].append(other)
    yield from _by_name(*waiting)


def _asked(call: ToolCallRecord) -> tuple[OutsideText, OutsideText]:
    return call.name, call.arguments_raw if call.arguments_parsed is None else call.arguments_parsed


def _by_name(left: _Calls, right: _Calls) -> Iterator[tuple[ToolCallRecord | None, ToolCallRecord | None]]:
    return aligned(left, right, shared([call.name for call in left], [call.name for call in right]) or [])


def _call(left: ToolCallRecord | None, right: ToolCallRecord | None, room: Room) -> CallPair:
    return CallPair(
        left=None if left is None else shown(left.name),
        right=None if right is None else shown(right.name),
        arguments=_arguments(left, right, room),
    )


def _arguments(left: ToolCallRecord | None, right: ToolCallRecord | None, room: Room) -> ArgumentPair:
    raw = tuple(None if call is None else call.arguments_raw for call in (left, right))
    parsed = tuple(None if call is None else call.arguments_parsed for call in (left, right))
    if left is not None and right is not None and parsed[0] is not None and parsed[1] is not None:
        if parsed[0] == parsed[1]:
            return ArgumentPair(equal=True, differences=(), raw=room.pair(parsed[0], parsed[1]))
        differences = value_differences(parsed[0], parsed[1])
        if differences is not None:
            return ArgumentPair(equal=False, differences=differences, raw=None)
    return ArgumentPair(equal=raw[0] == raw[1], differences=None, raw=room.pair(*raw))
