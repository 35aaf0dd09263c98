"""Evidence of a run, built piece by piece, for judges and observations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from dataset.artifacts.artifact import (
    CaseSection,
    ContextItemRecord,
    ContextSection,
    CorrectionRecord,
    GuardrailCheck,
    ResultSection,
    Step,
    ToolStep,
    Usage,
)
from dataset.artifacts.outside_text import OutsideText
from dataset.canonical import canonical_text, sha256_hex
from dataset.record import CaseId, Locale, VariantId
from dataset.tools.arguments import parse_arguments

HASH = "0" * 64


@dataclass(frozen=True, kw_only=True)
class RunEvidence:
    """The sections that observations read."""

    case: CaseSection
    context: ContextSection
    steps: Sequence[Step]
    guardrail_checks: Sequence[GuardrailCheck]
    result: ResultSection


def call(
    name: str,
    arguments: Any = None,
    *,
    outcome: Literal["executed", "refused"] = "executed",
    result: OutsideText = "{}",
    raw: str | None = None,
    untrusted: bool = False,
) -> ToolStep:
    """One answered call; `raw` writes arguments that aren't JSON."""
    written = raw if raw is not None else canonical_text(arguments or {}, allow_floats=True)
    return ToolStep(
        step=0,
        call_id="c",
        tool=name,
        tool_version=1,
        untrusted=untrusted,
        arguments_raw=written,
        arguments_parsed=parse_arguments(written).canonical,
        outcome=outcome,
        code=None if outcome == "executed" else "G5-SCHEMA-001",
        source="fixture" if outcome == "executed" else "refusal",
        reply_hash=HASH if outcome == "executed" else None,
        reply_status="ok" if outcome == "executed" else None,
        result=result,
    )


def rewrite(*originals: str, code: str = "OUT-NUM-001") -> GuardrailCheck:
    """An output guardrail that made one correction for each original."""
    return GuardrailCheck(
        point="response",
        step=0,
        call_id=None,
        guard="number-grounding",
        verdict="rewrite",
        code=code,
        detail="",
        corrections=tuple(
            CorrectionRecord(start=0, end=len(o), original=o, replacement="[…]", reason="r") for o in originals
        ),
    )


def item(*, trust: Literal["trusted", "untrusted"], area: Literal["instruction", "data"]) -> ContextItemRecord:
    """One context item."""
    return ContextItemRecord(
        id="i",
        category="note",
        role="user",
        trust=trust,
        area=area,
        required=False,
        decision="kept",
        reason="",
        source="",
        original_tokens=1,
        working_tokens=1,
        sha256=HASH,
        text="x",
    )


def result(answer: str = "", **changes: Any) -> ResultSection:
    """A completed result with this final output."""
    base: dict[str, Any] = {
        "status": "completed",
        "stop_reason": "stop",
        "answer_outcome": "answered" if answer.strip() else "empty",
        "final_output": answer,
        "raw_output_sha256": sha256_hex(answer.encode()),
        "corrections": 0,
        "model_steps": 1,
        "tool_calls": 0,
        "refused_calls": 0,
        "usage": Usage(),
        "cost": None,
        "cost_reason": "no price in the model registry",
        "latency_ms": 0,
        "error": None,
    }
    return ResultSection.model_validate({**base, **changes})


def evidence(
    *steps: Step,
    answer: str = "",
    checks: Sequence[GuardrailCheck] = (),
    items: Sequence[ContextItemRecord] = (),
    required: tuple[int, int] = (1, 1),
    locale: Locale = "en",
    question: str = "What is it?",
    **result_changes: Any,
) -> RunEvidence:
    """A run that made these calls and gave this answer; `required` is (total, kept)."""
    return RunEvidence(
        case=CaseSection(
            case_id=CaseId("c"),
            version=1,
            content_hash=HASH,
            gold_version=1,
            gold_hash=HASH,
            variant_id=VariantId("v"),
            variant_version=1,
            variant_hash=HASH,
            repeat=1,
            kind="agent",
            category="single-tool",
            locale=locale,
            scene="desk",
            login_state="anonymous",
            question=question,
        ),
        context=ContextSection(
            strategy="full",
            budget=1,
            counter_version="c",
            original_tokens=0,
            working_tokens=0,
            category_counts={},
            items=tuple(items),
            required_total=required[0],
            required_kept=required[1],
            step_tokens=(),
        ),
        steps=steps,
        guardrail_checks=tuple(checks),
        result=result(answer, **result_changes),
    )
