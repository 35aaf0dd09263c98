"""A batch that judges recorded answers again: the same steps, no call, no money; a question never asked stops it."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from dataset.artifacts.artifact import Artifact, CodeIdentity, ModelStep
from dataset.artifacts.digest import open_artifact
from dataset.measures.fixed_rules.rules import VERSION
from dataset.record import BatchId
from dataset.store.batch_control import control_of
from dataset.store.batches import create_batch, get_batch
from dataset.store.lifecycle import cancel_batch, retry_invalid
from dataset.store.recorded_replies import RecordedReplies
from dataset.store.session import Database
from engine.batches.batch_terms import frozen_terms, stored_terms
from engine.batches.breaker import ModelUnreachableError
from engine.batches.foreground import serve_to_the_end
from engine.batches.progress import BatchTally
from engine.batches.replayed_batch import UnreplayableError, replayed_definition
from engine.ledger.terms import BatchLimits
from tests.factories.model_server import ModelServer, completion, looks_then_answers, model_entry, response
from tests.factories.stored import ground, new_batch, run_batch, stored_artifacts

CODE = CodeIdentity(version="9.9.9", commit=None)


def replay_of(bank: Database, source: BatchId, batch_id: str = "again", **changes: Any) -> BatchId:
    """A created replay; `changes` are made to its template."""
    definition = replayed_definition(bank, source, judge_version=VERSION, code=CODE)
    if changes:
        definition = definition.model_copy(update={"template": definition.template.model_copy(update=changes)})
    terms = stored_terms(frozen_terms(bank, source))
    create_batch(bank, BatchId(batch_id), definition, datetime.now(UTC), terms=terms)
    return BatchId(batch_id)


def artifacts_of(bank: Database, batch_id: BatchId) -> list[Artifact]:
    return [open_artifact(data) for data in stored_artifacts(bank, batch_id).values()]


def without_the_call(artifact: Artifact) -> list[dict[str, Any]]:
    """The steps but for what is a call's own: when it was made, and how often it was tried."""
    bodies = [step.body() for step in artifact.steps]
    return [{k: v for k, v in body.items() if k not in ("started_at", "attempts")} for body in bodies]


def asked(bank: Database, batch_id: BatchId) -> int:
    with bank.transaction() as connection:
        driver: Any = connection.connection.driver_connection
        found = driver.execute("SELECT count(*) FROM provider_attempt WHERE batch_id = %s", (batch_id,)).fetchone()
    return int(found[0])


def test_a_replay_has_the_steps_of_its_source_and_asks_nobody(bank: Database, home: Path) -> None:
    with ModelServer(looks_then_answers) as server:
        price = '{ currency = "USD", input_per_million = 2, output_per_million = 8, as_of = 2026-01-31, source = "s" }'
        entry = model_entry("far", f"{server.url}/v1").rstrip() + f"\nprice = {price}\n"
        (home / "models.toml").write_text(entry)
        source = new_batch(bank, home, "b1", template="tiny", models=["far"])
        run_batch(bank, home, source)
        calls = len(server.requests)
    (home / "models.toml").unlink()  # neither the entry nor the server is needed any more
    again = replay_of(bank, source)
    run_batch(bank, home, again)
    assert get_batch(bank, again).finished_at is not None
    before, after = artifacts_of(bank, source), artifacts_of(bank, again)
    assert calls == 4
    assert [without_the_call(artifact) for artifact in after] == [without_the_call(artifact) for artifact in before]
    assert all(step.attempts == () for a in after for step in a.steps if isinstance(step, ModelStep))
    assert [a.judgment for a in after] == [a.judgment for a in before]
    assert [a.output_checks for a in after] == [a.output_checks for a in before]
    assert all(a.result.cost is not None for a in before)
    told = f"replayed: its answers belong to batch {source}, where they were paid for"
    assert {(a.result.cost, a.result.cost_reason) for a in after} == {(None, told)}
    assert {a.provenance.code.version for a in after} != {"9.9.9"}  # what ran it, not what created it
    assert asked(bank, source) == 4
    assert asked(bank, again) == 0


def test_each_repeat_gets_its_own_answers_although_all_ask_the_same(bank: Database, home: Path) -> None:
    lock, count = threading.Lock(), 0

    def counts(path: str, body: Mapping[str, Any], headers: Mapping[str, str]) -> bytes:
        nonlocal count
        with lock:
            count += 1
            return completion(f"This is answer number {count}.")

    with ModelServer(counts) as server:
        (home / "models.toml").write_text(model_entry("far", f"{server.url}/v1"))
        source = new_batch(bank, home, "b1", template="tiny", models=["far"])
        definition = get_batch(bank, source).definition
        template = definition.template.model_copy(update={"repeats": 4})
        frozen = definition.model_copy(update={"template": template})
        create_batch(bank, BatchId("b4"), frozen, datetime.now(UTC), terms=stored_terms(frozen_terms(bank, source)))
        run_batch(bank, home, BatchId("b4"))
    again = replay_of(bank, BatchId("b4"))
    run_batch(bank, home, again)
    said = [a.result.final_output for a in artifacts_of(bank, BatchId("b4"))]
    assert len(set(said)) == 8
    assert [a.result.final_output for a in artifacts_of(bank, again)] == said


def test_recorded_failures_and_lone_surrogates_come_back_as_they_were(bank: Database, home: Path) -> None:
    first = threading.Event()

    def half_a_character_then_trouble(path: str, body: Mapping[str, Any], headers: Mapping[str, str]) -> bytes:
        if not first.is_set():
            first.set()
            return completion("half: \ud83d")
        return response(b'{"error": {"message": "no such thing"}}', status=400)

    with ModelServer(half_a_character_then_trouble) as server:
        (home / "models.toml").write_text(model_entry("far", f"{server.url}/v1", concurrency=1))
        source = new_batch(bank, home, "b1", template="tiny", models=["far"])
        run_batch(bank, home, source)
    again = replay_of(bank, source)
    run_batch(bank, home, again)
    before, after = artifacts_of(bank, source), artifacts_of(bank, again)
    assert [a.result.status for a in before] == ["completed", "provider_failed"]
    assert [without_the_call(a) for a in after] == [without_the_call(a) for a in before]
    assert [a.result.error for a in after] == [a.result.error for a in before]
    assert [a.result.raw_output_sha256 for a in after] == [a.result.raw_output_sha256 for a in before]


def test_a_run_that_was_given_up_is_given_up_again_and_takes_no_other_runs_answer(bank: Database, home: Path) -> None:
    with ModelServer(looks_then_answers) as server:
        (home / "models.toml").write_text(model_entry("far", f"{server.url}/v1", concurrency=1))
        source = new_batch(bank, home, "b1", template="tiny", models=["far"], limits=BatchLimits(requests=3))
        run_batch(bank, home, source)
    again = replay_of(bank, source)
    run_batch(bank, home, again)
    before, after = artifacts_of(bank, source), artifacts_of(bank, again)
    assert [a.result.status for a in before] == ["completed", "cancelled"]
    assert [without_the_call(a) for a in after] == [without_the_call(a) for a in before]
    assert [a.result.error for a in after] == [a.result.error for a in before]
    with bank.transaction() as connection:
        assert control_of(connection, again).reason is None


def test_a_batch_that_asked_nothing_has_nothing_to_replay(bank: Database, home: Path) -> None:
    source = new_batch(bank, home, "b1", template="tiny", models=["scripted-careful"])
    cancel_batch(bank, source, quantum=64)
    serve_to_the_end(ground(bank, home), get_batch(bank, source), BatchTally(2))
    with pytest.raises(UnreplayableError, match="no recorded question"):
        replay_of(bank, source)


def test_what_one_run_was_asked_is_found_from_any_other(bank: Database, home: Path) -> None:
    source = new_batch(bank, home, "b1", template="tiny", models=["scripted-careful"])
    run_batch(bank, home, source)
    recording = RecordedReplies(bank, source)
    second = recording.run_at(2)
    assert second is not None
    assert recording.elsewhere(second.calls[0].request_digest) == second.calls[0]
    assert recording.elsewhere("0" * 64) is None
    assert recording.run_at(3) is None


def test_the_last_revision_of_a_run_is_what_is_replayed(bank: Database, home: Path) -> None:
    broken = threading.Event()

    def first_run_fails(path: str, body: Mapping[str, Any], headers: Mapping[str, str]) -> bytes:
        if not broken.is_set() and len(server.requests) == 2:
            broken.set()
            return response(b'{"error": {"message": "no such thing"}}', status=400)
        return completion("I can't say.")

    with ModelServer(first_run_fails) as server:
        (home / "models.toml").write_text(model_entry("far", f"{server.url}/v1", concurrency=1))
        source = new_batch(bank, home, "b1", template="tiny", models=["far"])
        run_batch(bank, home, source)
        assert get_batch(bank, source).counts.invalid == 1
        assert retry_invalid(bank, source) == 1
        run_batch(bank, home, source)
    again = replay_of(bank, source)
    run_batch(bank, home, again)
    assert get_batch(bank, again).counts.invalid == 0


def test_a_question_that_was_never_asked_pauses_the_replay_with_nothing_recorded(bank: Database, home: Path) -> None:
    source = new_batch(bank, home, "b1", template="tiny", models=["scripted-careful"])
    run_batch(bank, home, source)
    again = replay_of(bank, source, max_output_tokens=17)
    with pytest.raises(ModelUnreachableError) as caught:
        run_batch(bank, home, again)
    assert "replay_missing: batch b1 recorded no answer to what is asked here" in caught.value.message
    assert get_batch(bank, again).counts.recorded == 0
    with bank.transaction() as connection:
        assert control_of(connection, again).wish == "pause"


def test_a_replay_of_a_replay_takes_its_answers_where_they_were_recorded(bank: Database, home: Path) -> None:
    source = new_batch(bank, home, "b1", template="tiny", models=["scripted-careful"])
    with pytest.raises(UnreplayableError, match="2 of 2 runs have no recorded answer"):
        replay_of(bank, source)
    run_batch(bank, home, source)
    once = replay_of(bank, source)
    twice = replay_of(bank, once, "twice")
    assert get_batch(bank, twice).definition.replay_of == source
    assert RecordedReplies(bank, source).any_digest()
