"""A model that can't be asked stops the batch; a model that stumbles doesn't."""

from __future__ import annotations

import pytest

from dataset.artifacts.artifact import Artifact, RunError
from dataset.artifacts.digest import open_artifact
from engine.batches.breaker import MISCONFIGURED, MOST_IN_A_ROW, Breaker, ModelUnreachableError
from tests.factories import make_batch

RUNS = [open_artifact(data) for data in make_batch().artifacts.values()]
ANSWERED = next(a for a in RUNS if a.result.status == "completed")


def broken(code: str, *, replies: int = 0) -> Artifact:
    """A run of the same model that its provider failed."""
    error = RunError(code=code, message="the server said no")
    result = ANSWERED.result.model_copy(update={"status": "provider_failed", "error": error, "model_steps": replies})
    return ANSWERED.model_copy(update={"result": result})


@pytest.mark.parametrize("code", sorted(MISCONFIGURED))
def test_a_set_up_that_never_worked_stops_at_the_first_run(code: str) -> None:
    with pytest.raises(ModelUnreachableError) as caught:
        Breaker().watch(broken(code))
    assert code in caught.value.message
    assert "run the batch again" in caught.value.hint


def test_one_bad_request_of_a_model_that_answers_is_an_invalid_run() -> None:
    breaker = Breaker()
    breaker.watch(ANSWERED)
    breaker.watch(broken("provider_4xx"))
    breaker.watch(ANSWERED)


def test_a_server_that_stumbles_at_first_is_given_another_run() -> None:
    breaker = Breaker()
    for _ in range(MOST_IN_A_ROW - 1):
        breaker.watch(broken("provider_5xx"))
    breaker.watch(ANSWERED)
    breaker.watch(broken("provider_5xx"))


def test_runs_without_a_reply_in_a_row_stop_the_batch() -> None:
    breaker = Breaker()
    breaker.watch(ANSWERED)
    for _ in range(MOST_IN_A_ROW - 1):
        breaker.watch(broken("rate_limited", replies=1))
    with pytest.raises(ModelUnreachableError):
        breaker.watch(broken("rate_limited"))


def test_one_models_failures_are_not_counted_against_another() -> None:
    other = next(a for a in RUNS if a.provenance.model.key != ANSWERED.provenance.model.key)
    breaker = Breaker()
    for _ in range(MOST_IN_A_ROW - 1):
        breaker.watch(broken("provider_5xx"))
    failed = broken("provider_5xx").result
    breaker.watch(other.model_copy(update={"result": failed}))
