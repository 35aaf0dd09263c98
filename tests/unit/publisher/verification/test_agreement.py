from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from dataset.artifacts.artifact import Artifact
from dataset.artifacts.definition import planned_runs
from dataset.artifacts.digest import open_artifact
from dataset.record import RunId
from publisher.verification.agreement import Promise, agreement_differences
from tests.factories import SampleBatch, forged, make_batch


def artifact_of(batch: SampleBatch, run_id: str) -> Artifact:
    return open_artifact(batch.artifacts[RunId(run_id)])


def places(batch: SampleBatch, artifact: Artifact) -> list[str]:
    plans = {plan.run_id: plan for plan in planned_runs(batch.definition, batch.batch_id)}
    promise = Promise(
        batch_id=batch.batch_id,
        definition=batch.definition,
        definition_hash=batch.definition.digest(),
        questions=batch.pack.questions,
        variants=batch.pack.variants,
    )
    plan = plans[RunId(artifact.run_id.partition("-r")[0])]
    return [difference.place for difference in agreement_differences(artifact, plan, promise)]


def without_attempts(body: Any) -> None:
    for step in body["steps"]:
        if step["kind"] == "model":
            step["attempts"] = []


def test_a_reply_without_a_request_is_found_and_a_scripted_model_needs_none() -> None:
    asked, scripted = make_batch(), make_batch(synthetic=True)
    assert places(asked, artifact_of(asked, "batch-1-0001")) == []
    assert "/steps/0/attempts" in places(asked, forged(artifact_of(asked, "batch-1-0001"), without_attempts))
    assert places(scripted, forged(artifact_of(scripted, "batch-1-0001"), without_attempts)) == []


def test_a_reply_that_was_cut_off_was_asked_for_too() -> None:
    batch = make_batch(scenario=lambda planned: "truncated")
    assert places(batch, artifact_of(batch, "batch-1-0001")) == []
    assert "/steps/0/attempts" in places(batch, forged(artifact_of(batch, "batch-1-0001"), without_attempts))


def test_a_replay_asked_nobody() -> None:
    replay = make_batch(replay_of="batch-0", scenario=lambda planned: "pass")
    artifact = artifact_of(replay, "batch-1-0001")
    assert places(replay, artifact) == []
    asked = {"status": 200, "code": None, "latency_ms": 1}
    made_up = forged(artifact, lambda body: body["steps"][0].update(attempts=[asked]))
    assert "/steps/0/attempts" in places(replay, made_up)


@pytest.mark.parametrize(
    ("run_id", "change"),
    [
        ("batch-1-0001", lambda body: body["provenance"].update(supersedes="batch-1-0002")),
        ("batch-1-0001-r2", lambda body: body["provenance"].update(supersedes=None)),
        ("batch-1-0001-r2", lambda body: body["provenance"].update(supersedes="batch-1-0001-r2")),
    ],
)
def test_a_run_supersedes_the_one_before_it_and_no_other(run_id: str, change: Callable[[Any], object]) -> None:
    batch = make_batch(scenario=lambda planned: "pass", earlier=lambda planned: ("invalid",))
    assert places(batch, artifact_of(batch, run_id)) == []
    assert places(batch, forged(artifact_of(batch, run_id), change)) == ["/provenance/supersedes"]
