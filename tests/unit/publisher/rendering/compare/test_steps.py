"""Steps of two runs beside each other."""

from __future__ import annotations

from typing import Any

from dataset.artifacts.artifact import ModelStep, Step, ToolCallRecord, ToolStep, Usage
from publisher.rendering.compare.room import PAGE_BYTES, TEXT_CHARACTERS, Room
from publisher.rendering.compare.steps import MOST_ROWS, step_rows


def said(number: int, text: str | None = None, *calls: tuple[str, str, str | None]) -> ModelStep:
    return ModelStep(
        step=number,
        text=text,
        tool_calls=tuple(
            ToolCallRecord(id=f"call-{number}-{at}", name=name, arguments_raw=raw, arguments_parsed=parsed)
            for at, (name, raw, parsed) in enumerate(calls)
        ),
        stop_reason="tool_calls" if calls else "stop",
        finish_reason=None,
        usage=Usage(),
        latency_ms=1,
        attempts=(),
        model_returned=None,
        request_id=None,
        system_fingerprint=None,
        error=None,
        started_at="2026-11-30T10:00:00.000Z",
    )


def answered(number: int, tool: str, result: str = "r", **changes: Any) -> ToolStep:
    fields: dict[str, Any] = {
        "step": number,
        "call_id": "call",
        "tool": tool,
        "tool_version": 1,
        "untrusted": False,
        "arguments_raw": "{}",
        "arguments_parsed": "{}",
        "outcome": "executed",
        "code": None,
        "source": "fixture",
        "reply_hash": None,
        "reply_status": "ok",
        "result": result,
    }
    return ToolStep(**{**fields, **changes})


def names(left: list[Step], right: list[Step]) -> list[tuple[int | None, int | None]]:
    rows, _ = step_rows(left, right, Room())
    return [(row.left.step if row.left else None, row.right.step if row.right else None) for row in rows]


def test_steps_of_the_same_kind_and_tool_stand_beside_each_other() -> None:
    left: list[Step] = [said(0), answered(1, "nav"), said(2), answered(3, "news"), said(4)]
    right: list[Step] = [said(0), answered(1, "news"), said(2)]
    assert names(left, right) == [(0, 0), (1, None), (2, None), (3, 1), (4, 2)]


def test_tools_that_differ_stand_beside_each_other_where_nothing_else_does() -> None:
    left: list[Step] = [said(0), answered(1, "nav"), said(2)]
    right: list[Step] = [said(0), answered(1, "price"), answered(2, "news"), said(3)]
    assert names(left, right) == [(0, 0), (1, 1), (None, 2), (2, 3)]


def test_the_same_step_is_called_the_same_and_a_different_result_isnt() -> None:
    ours: list[Step] = [said(0, "hello", ("nav", '{"a": 1}', '{"a":1}')), answered(1, "nav", "1.25")]
    rows, count = step_rows(ours, [said(0, "hello", ("nav", '{"a":1}', '{"a":1}')), answered(1, "nav", "1.30")], Room())
    assert count == 2
    assert [row.equal for row in rows] == [True, False]
    assert not rows[1].text.equal


def test_calls_with_the_same_arguments_stand_beside_each_other_before_those_of_the_same_tool() -> None:
    def asked(*codes: str) -> list[Step]:
        return [said(0, None, *((code.split()[0], f'"{code}"', f'"{code}"') for code in codes))]

    rows, _ = step_rows(asked("nav a", "nav b", "price c"), asked("nav b", "nav d", "price c", "nav e"), Room())
    pairs = [(call.left, call.right, call.arguments.equal) for call in rows[0].calls]
    assert pairs == [
        ("nav", None, False),
        ("nav", "nav", True),
        (None, "nav", False),
        ("price", "price", True),
        (None, "nav", False),
    ]


def test_arguments_that_arent_json_are_shown_as_they_were_written() -> None:
    rows, _ = step_rows([said(0, None, ("nav", "{broken", None))], [said(0, None, ("nav", "{}", "{}"))], Room())
    (call,) = rows[0].calls
    assert call.arguments.differences is None
    assert call.arguments.raw is not None
    assert [text for _, text in call.arguments.raw.left.segments]
    assert not rows[0].equal


def test_a_long_timeline_and_a_long_text_are_shown_as_far_as_a_page_goes() -> None:
    rows, count = step_rows([said(n, "x" * 50_000 + str(n)) for n in range(200)], [], Room())
    assert (len(rows), count) == (MOST_ROWS, 200)
    assert rows[0].text.left.shown == TEXT_CHARACTERS
    assert rows[0].text.left.cut
    assert rows[-1].text.left.shown == 0
    assert sum(row.text.left.shown for row in rows) <= PAGE_BYTES
