"""What is spliced from the bytes of events is what sealing the whole sections gives, byte for byte."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest
import rfc8785
from hypothesis import given, settings
from hypothesis import strategies as st

from dataset.artifacts.artifact import SECTION_NAMES, Sections, ToolStep
from dataset.artifacts.digest import artifact_hash, open_artifact, seal, section_digest
from dataset.artifacts.outside_text import keep
from dataset.record import RunId
from engine.telemetry.assembly import assemble, assemble_sealed
from engine.telemetry.event import Event, EventKind, event_body
from tests.factories.finance import events_of, finance_executor
from tests.factories.sections import sections_of

RUN_ID = RunId("b1-0001")
SALTS = {name: f"{n:032x}" for n, name in enumerate(SECTION_NAMES)}

_text = st.text(max_size=20)  # of a model: lone surrogates too
_words = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


@pytest.fixture(scope="module")
def recorded() -> list[Event]:
    executor, plans = finance_executor("english")
    return asyncio.run(events_of(executor, plans[0]))


def whole(run_id: RunId, sections: Sections, salts: Mapping[str, str]) -> bytes:
    """The artifact as the design says it, by the reference implementation of RFC 8785."""
    content = sections.model_dump(mode="json")
    digests = {name: section_digest(salts[name], content[name]) for name in SECTION_NAMES}
    return rfc8785.dumps(
        {
            "schema": "glassbench.run/1",
            "run_id": run_id,
            **content,
            "salts": dict(salts),
            "digests": digests,
            "artifact_hash": artifact_hash(run_id, digests),
        }
    )


def told(sections: Sections, salts: Mapping[str, str]) -> list[Event]:
    """The events that a run with these sections leaves."""
    provenance = sections.provenance
    bodies: list[tuple[EventKind, Any]] = [
        ("run_started", {"case": sections.case.body(), "provenance": provenance.body()}),
        ("context_built", sections.context),
        *(("tools_loaded", loaded) for loaded in sections.visible_tools),
        *(("step", step) for step in sections.steps),
        *(("check", check) for check in sections.guardrail_checks),
        ("answer_guarded", sections.result),
        (
            "judged",
            {
                "judgment": sections.judgment.body(),
                "output_checks": [check.body() for check in sections.output_checks],
            },
        ),
        (
            "run_finished",
            {"finished_at": provenance.finished_at, "returned": list(provenance.model.returned), "salts": dict(salts)},
        ),
    ]
    return [Event(seq=n, kind=kind, body=event_body(body)) for n, (kind, body) in enumerate(bodies, start=1)]


@given(st.data())
@settings(max_examples=100)
def test_assembled_bytes_are_those_of_the_sealed_sections(recorded: list[Event], data: st.DataObject) -> None:
    found = sections_of(recorded)
    steps = tuple(
        step.model_copy(
            update={"result": keep(data.draw(_text)), "call_id": keep(data.draw(_text))}
            if isinstance(step, ToolStep)
            else {"text": keep(data.draw(_text)), "finish_reason": data.draw(st.none() | _words)}
        )
        for step in data.draw(st.lists(st.sampled_from(found.steps), max_size=5))
    )
    checks = tuple(
        check.model_copy(update={"detail": data.draw(_words)})
        for check in data.draw(st.lists(st.sampled_from(found.guardrail_checks), max_size=5))
    )
    sections = found.model_copy(
        update={
            "case": found.case.model_copy(update={"question": data.draw(_words)}),
            "visible_tools": data.draw(st.lists(st.sampled_from(found.visible_tools), max_size=3).map(tuple)),
            "steps": steps,
            "guardrail_checks": checks,
            "result": found.result.model_copy(update={"final_output": data.draw(_words)}),
            "output_checks": data.draw(st.lists(st.sampled_from(found.output_checks), max_size=3).map(tuple)),
        }
    )
    assembled = assemble(RUN_ID, told(sections, SALTS))
    assert assembled == seal(RUN_ID, sections, SALTS) == whole(RUN_ID, sections, SALTS)
    open_artifact(assembled)


def test_a_sealed_artifact_says_what_opening_it_says(recorded: list[Event]) -> None:
    sealed = assemble_sealed(RUN_ID, recorded)
    opened = open_artifact(sealed.data)
    assert (sealed.artifact_hash, sealed.verdict) == (opened.artifact_hash, opened.judgment.verdict)
    assert sealed.result == opened.result
