"""Shortcuts on the way to a record's bytes and to equality give what the long way gives."""

from __future__ import annotations

from typing import Any

import pytest

from dataset.artifacts.artifact import (
    CaseSection,
    ContextSection,
    GuardrailCheck,
    HttpAttempt,
    ModelStep,
    StepTokens,
    ToolCallRecord,
    Usage,
)
from dataset.artifacts.outside_text import Base64Text
from dataset.canonical import CanonicalError, canonical_bytes, canonical_plain
from dataset.record import Record, _writes_plain
from dataset.tools.tool import Tool

CHECK = GuardrailCheck(
    point="response",
    step=1,
    call_id=Base64Text(data="gA=="),
    guard="g",
    verdict="allow",
    code=None,
    detail="é \U0001f600",
)
STEP = ModelStep(
    step=0,
    text="ok",
    tool_calls=(ToolCallRecord(id="c", name="n", arguments_raw="{}", arguments_parsed="{}"),),
    stop_reason="stop",
    finish_reason=None,
    usage=Usage(input_tokens=3),
    latency_ms=1,
    attempts=(HttpAttempt(status=200, code=None, latency_ms=1),),
    model_returned="m",
    request_id=None,
    system_fingerprint=None,
    error=None,
    started_at="2026-01-01T00:00:00.000Z",
)
CONTEXT = ContextSection(
    strategy="full",
    budget=9,
    counter_version="c",
    original_tokens=1,
    working_tokens=1,
    category_counts={"\U0001f600": 1, "\uff5e": 2},
    items=(),
    required_total=0,
    required_kept=0,
    step_tokens=(),
)


@pytest.mark.parametrize("record", [CHECK, STEP, CONTEXT], ids=["check", "step", "keys beyond the basic plane"])
def test_the_bytes_of_a_record_are_those_of_its_body(record: Record) -> None:
    assert record.canonical == canonical_bytes(record.model_dump(mode="json", by_alias=True))


@pytest.mark.parametrize(
    ("record", "values"),
    [
        (CHECK, {"step": 7, "code": "OUT-1", "call_id": None}),
        (STEP, {"attempts": (), "usage": Usage(output_tokens=5)}),
        (CONTEXT, {"step_tokens": (StepTokens(step=0, tokens=5), StepTokens(step=2, tokens=6))}),
        (CONTEXT, {"category_counts": {"b": 1, "a": 2}}),
    ],
)
def test_a_changed_record_has_the_bytes_of_one_made_anew(record: Record, values: dict[str, Any]) -> None:
    anew = type(record)(**{name: getattr(record, name) for name in type(record).model_fields} | values)
    changed = record.changed(**values)
    assert changed.canonical == anew.canonical
    assert (changed, changed.digest()) == (anew, anew.digest())
    assert record != changed


def test_a_copy_of_a_changed_record_is_written_out_anew() -> None:
    changed = CHECK.changed(step=7)
    assert changed.model_copy(update={"step": 8}).canonical == CHECK.changed(step=8).canonical


def test_records_whose_digests_are_known_are_equal_by_content() -> None:
    twin = CHECK.model_copy()
    other = CHECK.model_copy(update={"step": 2})
    assert twin == CHECK
    assert hash(CHECK) == hash(twin) != hash(other)
    assert (twin == CHECK, other == CHECK, CHECK == STEP) == (True, False, False)


def test_only_records_without_floats_and_free_json_are_written_without_a_look_at_each_part() -> None:
    class Loose(Record):
        value: Any

    class Nested(Record):
        value: dict[str, tuple[Loose, ...]] | None

    class Measured(Record):
        value: float

    assert all(map(_writes_plain, (CaseSection, ContextSection, GuardrailCheck, ModelStep)))
    assert not any(map(_writes_plain, (Loose, Nested, Measured, Tool)))
    with pytest.raises(CanonicalError, match="floating-point"):
        _ = Loose(value=1.5).canonical


def test_what_is_no_text_is_refused_however_plain_it_is_held_to_be() -> None:
    with pytest.raises(CanonicalError, match="lone surrogate"):
        canonical_plain({"a": "\ud800"})
    with pytest.raises(CanonicalError, match="beyond 2"):
        canonical_plain([2**53])
