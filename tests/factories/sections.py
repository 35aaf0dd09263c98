"""The sections that events describe, read record by record: what the assembled bytes are held against."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import TypeAdapter

from dataset.artifacts.artifact import (
    CaseSection,
    ContextSection,
    GuardrailCheck,
    JudgmentSection,
    OutputCheck,
    ProvenanceSection,
    ResultSection,
    Sections,
    Step,
    VisibleTools,
)
from dataset.canonical import read_canonical
from engine.telemetry.event import Event, EventKind

_STEP: TypeAdapter[Step] = TypeAdapter(Step)


def sections_of(events: Sequence[Event]) -> Sections:
    """The sections of a finished attempt."""
    started, finished, judged = (_one(events, kind) for kind in ("run_started", "run_finished", "judged"))
    model = {**started["provenance"]["model"], "returned": finished["returned"]}
    return Sections(
        case=CaseSection.model_validate(started["case"]),
        provenance=ProvenanceSection.model_validate(
            {**started["provenance"], "model": model, "finished_at": finished["finished_at"]}
        ),
        context=ContextSection.model_validate(_one(events, "context_built")),
        visible_tools=tuple(VisibleTools.model_validate(body) for body in _all(events, "tools_loaded")),
        steps=tuple(_STEP.validate_python(body) for body in _all(events, "step")),
        guardrail_checks=tuple(GuardrailCheck.model_validate(body) for body in _all(events, "check")),
        result=ResultSection.model_validate(_one(events, "answer_guarded")),
        judgment=JudgmentSection.model_validate(judged["judgment"]),
        output_checks=tuple(OutputCheck.model_validate(body) for body in judged["output_checks"]),
    )


def _all(events: Sequence[Event], kind: EventKind) -> list[Any]:
    return [read_canonical(event.body) for event in events if event.kind == kind]


def _one(events: Sequence[Event], kind: EventKind) -> Any:
    (found,) = _all(events, kind)
    return found
