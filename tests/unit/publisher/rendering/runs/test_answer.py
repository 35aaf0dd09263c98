"""The raw answer beside the final one: every change stands where it was made, over all rounds."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from dataset.artifacts.artifact import CorrectionRecord, GuardrailCheck, ModelStep, ResultSection, Usage
from dataset.canonical import sha256_hex
from publisher.rendering.runs.answer import answer_view

RAW = "Buy it now. It costs 9.87 CNY."


def check(guard: str, *changes: tuple[int, int, str, str]) -> GuardrailCheck:
    corrections = tuple(
        CorrectionRecord(start=start, end=end, original=original, replacement=replacement, reason="<why>")
        for start, end, original, replacement in changes
    )
    return GuardrailCheck(
        point="response",
        step=0,
        call_id=None,
        guard=guard,
        verdict="rewrite",
        code="OUT-NUM-001",
        detail="",
        corrections=corrections,
    )


def result(final: str, raw: str = RAW) -> ResultSection:
    return ResultSection(
        status="completed",
        stop_reason="stop",
        answer_outcome="answered",
        final_output=final,
        raw_output_sha256=sha256_hex(raw.encode()),
        corrections=1,
        model_steps=1,
        tool_calls=0,
        refused_calls=0,
        usage=Usage(),
        cost=None,
        cost_reason=None,
        latency_ms=1,
        error=None,
    )


def said(text: str = RAW) -> list[ModelStep]:
    return [
        ModelStep(
            step=0,
            text=text,
            tool_calls=(),
            stop_reason="stop",
            finish_reason=None,
            usage=Usage(),
            latency_ms=1,
            attempts=(),
            model_returned=None,
            request_id=None,
            system_fingerprint=None,
            error=None,
            started_at="2026-11-30T12:00:00.000Z",
        )
    ]


def test_each_change_is_marked_in_both_texts() -> None:
    first = check("a", (0, 11, "Buy it now.", "No advice <here>."))
    second = check("b", (27, 31, "9.87", "[unverified]"))
    view = answer_view(result("No advice <here>. It costs [unverified] CNY."), said(), [first, second])
    assert view.placed
    assert view.raw is not None
    assert view.raw.markup == "<del>Buy it now.</del> It costs <del>9.87</del> CNY."
    assert view.final.markup == "<ins>No advice &lt;here&gt;.</ins> It costs <ins>[unverified]</ins> CNY."
    assert [(change.guard, change.original) for change in view.changes] == [("a", "Buy it now."), ("b", "9.87")]


def test_a_later_round_that_changes_a_replacement_is_one_change_of_the_raw_text() -> None:
    first = check("a", (0, 11, "Buy it now.", "Told at 9 today."))
    second = check("b", (8, 21, "9 today. It c", "noon. It c"))
    view = answer_view(result("Told at noon. It costs 9.87 CNY."), said(), [first, second])
    assert view.placed
    assert view.raw is not None
    assert view.raw.markup == "<del>Buy it now. It c</del>osts 9.87 CNY."
    assert view.final.markup == "<ins>Told at noon. It c</ins>osts 9.87 CNY."


@pytest.mark.parametrize("changes", [(), ((0, 3, "Buy", "Sell"),)])
def test_where_the_corrections_do_not_lead_to_the_final_answer_all_of_it_is_changed(
    changes: Sequence[tuple[int, int, str, str]],
) -> None:
    view = answer_view(result("Withheld."), said(), [check("chain", *changes)])
    assert not view.placed
    assert view.raw is not None
    assert view.raw.markup == f"<del>{RAW}</del>"
    assert view.final.markup == "<ins>Withheld.</ins>"


def test_an_answer_that_nobody_changed_stands_once() -> None:
    view = answer_view(result(RAW), said(), [])
    assert view.unchanged
    assert view.raw is None
    assert view.final.markup == RAW


def test_a_raw_answer_that_no_step_holds_is_not_made_up() -> None:
    view = answer_view(result("Else."), said("another text"), [check("a", (0, 1, "B", "b"))])
    assert not view.unchanged
    assert view.raw is None
    assert len(view.changes) == 1
