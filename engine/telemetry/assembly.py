"""The nine sections, put together from the events of one attempt and from nothing else."""

from __future__ import annotations

from collections.abc import Sequence

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
from dataset.artifacts.digest import seal
from dataset.canonical import Json, read_canonical
from dataset.errors import GlassbenchError
from dataset.record import RunId
from engine.telemetry.event import Event, EventKind

_STEP: TypeAdapter[Step] = TypeAdapter(Step)


class IncompleteEventsError(GlassbenchError):
    """The events of an attempt that never finished: no artifact follows from them."""

    code = "RUN-EVENTS-001"


def assemble(run_id: RunId, events: Sequence[Event]) -> bytes:
    """The sealed artifact of a finished attempt; the same events give the same bytes."""
    finished = _one(events, "run_finished")
    return seal(run_id, sections_of(events), finished["salts"])


def sections_of(events: Sequence[Event]) -> Sections:
    """The sections that the events describe; IncompleteEventsError where one is missing."""
    started, finished, judged = (
        _one(events, "run_started"),
        _one(events, "run_finished"),
        _one(events, "judged"),
    )
    provenance = ProvenanceSection.model_validate(started["provenance"])
    return Sections(
        case=CaseSection.model_validate(started["case"]),
        provenance=provenance.model_copy(
            update={
                "finished_at": finished["finished_at"],
                "model": provenance.model.model_copy(update={"returned": tuple(finished["returned"])}),
            }
        ),
        context=ContextSection.model_validate(_one(events, "context_built")),
        visible_tools=tuple(VisibleTools.model_validate(body) for body in _all(events, "tools_loaded")),
        steps=tuple(_STEP.validate_python(body) for body in _all(events, "step")),
        guardrail_checks=tuple(GuardrailCheck.model_validate(body) for body in _all(events, "check")),
        result=ResultSection.model_validate(_one(events, "answer_guarded")),
        judgment=JudgmentSection.model_validate(judged["judgment"]),
        output_checks=tuple(OutputCheck.model_validate(body) for body in judged["output_checks"]),
    )


def _all(events: Sequence[Event], kind: EventKind) -> list[Json]:
    return [read_canonical(event.body) for event in events if event.kind == kind]


def _one(events: Sequence[Event], kind: EventKind) -> Json:
    found = _all(events, kind)
    if len(found) != 1:
        raise IncompleteEventsError(f"{len(found)} events of kind {kind}, expected one")
    return found[0]
