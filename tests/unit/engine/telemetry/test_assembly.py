"""An artifact follows from the events of one finished attempt, and from nothing else."""

from __future__ import annotations

import asyncio

import pytest

from dataset.artifacts.digest import open_artifact
from dataset.record import RunId
from engine.telemetry.assembly import IncompleteEventsError, assemble
from engine.telemetry.event import Event, event_body
from tests.factories.finance import events_of, finance_executor

RUN_ID = RunId("b1-0001")


@pytest.fixture(scope="module")
def events() -> list[Event]:
    executor, plans = finance_executor("english")
    return asyncio.run(events_of(executor, plans[0]))


def test_the_same_events_give_the_same_bytes(events: list[Event]) -> None:
    data = assemble(RUN_ID, events)
    assert assemble(RUN_ID, list(events)) == data
    assert open_artifact(data).run_id == RUN_ID


@pytest.mark.parametrize("kind", ["run_started", "context_built", "answer_guarded", "judged", "run_finished"])
def test_an_attempt_that_lacks_a_section_has_no_artifact(events: list[Event], kind: str) -> None:
    without = [event for event in events if event.kind != kind]
    with pytest.raises(IncompleteEventsError, match=kind):
        assemble(RUN_ID, without)


def test_events_of_two_attempts_mixed_have_no_artifact(events: list[Event]) -> None:
    with pytest.raises(IncompleteEventsError, match="2 events of kind"):
        assemble(RUN_ID, [*events, *events])


def test_any_prefix_of_a_killed_attempt_has_no_artifact(events: list[Event]) -> None:
    for length in range(len(events)):
        with pytest.raises(IncompleteEventsError):
            assemble(RUN_ID, events[:length])


def test_other_salts_give_other_digests_of_the_same_sections(events: list[Event]) -> None:
    first = open_artifact(assemble(RUN_ID, events))
    body = {"finished_at": first.provenance.finished_at, "returned": list(first.provenance.model.returned)}
    salts = dict.fromkeys(first.salts, "f" * 32)
    resalted = [*events[:-1], events[-1]._replace(body=event_body({**body, "salts": salts}))]
    second = open_artifact(assemble(RUN_ID, resalted))
    assert (second.steps, second.result) == (first.steps, first.result)
    assert set(second.digests.values()).isdisjoint(first.digests.values())
