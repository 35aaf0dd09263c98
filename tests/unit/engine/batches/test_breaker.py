"""A model that can't be asked stops the batch; a request that goes wrong is an invalid run."""

from __future__ import annotations

from typing import Any

import pytest

from dataset.artifacts.artifact import RunError
from dataset.artifacts.definition import planned_runs
from dataset.artifacts.digest import open_artifact
from engine.batches.breaker import MOST_IN_A_ROW, NOBODY_ANSWERS, Breaker, Finished, ModelUnreachableError
from engine.telemetry.assembly import Sealed
from tests.factories import make_batch

BATCH = make_batch()
PLANS = list(planned_runs(BATCH.definition, BATCH.batch_id))
MINE, OTHER = sorted({plan.model_key for plan in PLANS})
HINTS = {"script_missing": "create a new batch", "replay_missing": "the recorded batch was asked something else"}


def finished(model: str = MINE, *, code: str | None = None, replies: int = 0) -> Finished:
    """A sealed run of a model: answered, or failed by its provider after some replies."""
    plan = next(plan for plan in PLANS if plan.model_key == model)
    data = next(iter(BATCH.artifacts.values()))
    artifact = open_artifact(data)
    changes: dict[str, Any] = {"status": "completed", "error": None, "model_steps": 2}
    if code is not None:
        error = RunError(code=code, message="the server said no")
        changes = {"status": "provider_failed", "error": error, "model_steps": replies}
    result = artifact.result.model_copy(update=changes)
    sealed = Sealed(data=data, artifact_hash=artifact.artifact_hash, verdict="invalid", result=result)
    return Finished(plan=plan, attempt=1, sealed=sealed)


@pytest.mark.parametrize("code", sorted(NOBODY_ANSWERS))
def test_a_set_up_that_never_worked_stops_at_the_first_run(code: str) -> None:
    with pytest.raises(ModelUnreachableError) as caught:
        Breaker(set()).watch(finished(code=code))
    assert code in caught.value.message
    assert HINTS.get(code, "run the batch again") in caught.value.hint


def test_a_model_that_refuses_every_request_stops_the_batch_with_nothing_recorded() -> None:
    breaker = Breaker(set())
    for _ in range(MOST_IN_A_ROW - 1):
        assert breaker.watch(finished(code="invalid_response")) == []
    with pytest.raises(ModelUnreachableError):
        breaker.watch(finished(code="invalid_response"))


def test_a_failed_run_is_recorded_once_the_model_answers_another() -> None:
    breaker = Breaker(set())
    failed, answered = finished(code="provider_4xx"), finished()
    assert breaker.watch(failed) == []
    assert breaker.watch(answered) == [failed, answered]


def test_a_model_without_any_reply_is_no_measurement_even_in_a_small_batch() -> None:
    breaker = Breaker(set())
    breaker.watch(finished(code="invalid_response"))
    with pytest.raises(ModelUnreachableError):
        breaker.rest()


def test_a_failed_run_is_recorded_when_nothing_is_left_to_run() -> None:
    breaker = Breaker({MINE})
    failed = finished(code="provider_5xx")
    assert breaker.watch(failed) == []
    assert breaker.rest() == [failed]


@pytest.mark.parametrize("code", ["provider_4xx", "provider_5xx", "context_overflow", "content_filtered"])
def test_many_bad_requests_in_a_row_never_stop_a_model_that_answers_others(code: str) -> None:
    breaker = Breaker({MINE})
    for _ in range(10):
        assert breaker.watch(finished(code=code)) == []
    assert len(breaker.rest()) == 10


@pytest.mark.parametrize("code", ["network_error", "rate_limited"])
def test_an_outage_of_a_model_that_has_answered_stops_at_the_third_run_in_a_row(code: str) -> None:
    breaker = Breaker({MINE})
    breaker.watch(finished(code=code))
    breaker.watch(finished(code=code))
    breaker.watch(finished())
    breaker.watch(finished(code=code, replies=1))
    breaker.watch(finished(code=code))
    with pytest.raises(ModelUnreachableError):
        breaker.watch(finished(code=code))


def test_one_models_failures_are_not_counted_against_another() -> None:
    breaker = Breaker(set())
    for _ in range(MOST_IN_A_ROW - 1):
        breaker.watch(finished(code="provider_5xx"))
    assert breaker.watch(finished(OTHER, code="provider_5xx")) == []


@pytest.mark.parametrize(
    ("code", "answered", "passing"),
    [
        ("rate_limited", set(), True),
        ("rate_limited", {MINE}, True),
        ("network_error", {MINE}, True),
        ("network_error", set(), False),
        ("authentication_error", {MINE}, False),
        ("replay_missing", {MINE}, False),
    ],
)
def test_only_what_waiting_may_mend_is_tried_again(code: str, answered: set[str], passing: bool) -> None:
    breaker = Breaker(answered)
    with pytest.raises(ModelUnreachableError) as caught:
        _watch_many(breaker, code)
    assert caught.value.passing is passing


def _watch_many(breaker: Breaker, code: str) -> None:
    for _ in range(MOST_IN_A_ROW):
        breaker.watch(finished(code=code))


def test_slices_of_one_batch_share_who_has_answered() -> None:
    answered: set[str] = set()
    Breaker(answered).watch(finished())
    failed = finished(code="provider_5xx")
    other = Breaker(answered)
    assert other.watch(failed) == []
    assert other.rest() == [failed]
