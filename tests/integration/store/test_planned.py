"""Runs as they were promised, and as they are planned again."""

from __future__ import annotations

from sqlalchemy import text

from dataset.artifacts.definition import planned_runs
from dataset.record import BatchId
from dataset.store.batches import batch_counts, get_batch
from dataset.store.planned import close_batch, has_ended, missing_runs, revise_invalid_runs
from dataset.store.session import Database
from tests.factories.recording import record_artifact
from tests.integration.store.packs import B1, start_batch


def revise(database: Database, batch_id: BatchId = B1) -> int:
    with database.transaction() as connection:
        return revise_invalid_runs(connection, batch_id)


def test_a_batchs_rows_are_the_runs_of_its_definition_and_no_other_batchs(database: Database) -> None:
    start_batch(database)
    start_batch(database, "b2", repeats=1)
    definition = get_batch(database, B1).definition
    assert missing_runs(database, B1) == list(planned_runs(definition, B1))
    record_artifact(database, missing_runs(database, BatchId("b2"))[0].run_id)
    assert len(missing_runs(database, B1)) == 6


def test_only_the_last_revision_of_a_run_is_counted_and_planned_again(database: Database) -> None:
    start_batch(database)
    first, *others = missing_runs(database, B1)
    for run in others:
        record_artifact(database, run.run_id)
    for revision in ("", "-r2", "-r3"):
        record_artifact(database, f"{first.run_id}{revision}", verdict="invalid")  # type: ignore[arg-type]
        assert batch_counts(database, B1).invalid == 1
        assert revise(database) == 1
    again = missing_runs(database, B1)
    assert [run.run_id for run in again] == ["b1-0001-r4"]
    assert (again[0].position, again[0].case_id, again[0].model_key) == (1, first.case_id, first.model_key)
    counts = batch_counts(database, B1)
    assert (counts.planned, counts.recorded, counts.invalid) == (6, 5, 0)
    record_artifact(database, again[0].run_id)
    assert batch_counts(database, B1).passed == 6
    assert revise(database) == 0


def test_a_batch_that_is_planned_again_has_not_ended(database: Database) -> None:
    start_batch(database)
    for run in missing_runs(database, B1):
        record_artifact(database, run.run_id, verdict="invalid")
    with database.transaction() as connection:
        assert close_batch(connection, B1)
        assert has_ended(connection, B1)
    assert revise(database) == 6
    with database.transaction() as connection:
        assert not has_ended(connection, B1)
        supersedes = connection.execute(text("SELECT supersedes FROM run WHERE revision = 2 ORDER BY position"))
        assert list(supersedes.scalars()) == [f"b1-000{n}" for n in range(1, 7)]
