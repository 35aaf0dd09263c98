from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import text

from dataset.artifacts.artifact import SECTION_NAMES
from dataset.artifacts.digest import open_artifact
from dataset.artifacts.revision import split_revision
from dataset.record import RunId
from dataset.store.bank import import_pack
from dataset.store.batches import create_batch
from dataset.store.planned import close_batch, revise_invalid_runs
from dataset.store.session import Database
from publisher.gates.examination import Examination
from publisher.gates.refusal import RefusalError
from publisher.intake.stored_batch import StoredBatch
from publisher.releases.publish import publish
from publisher.verification.snapshot import verify
from tests.factories import SampleBatch, SampleSource, Scenario, WordScanner, make_batch
from tests.factories.recording import record_artifact

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
BATCH = make_batch(model_keys=("careful",))
UNLUCKY: tuple[Scenario, ...] = ("unstarted", "invalid")


def store(database: Database, batch: SampleBatch, *, finished: bool = True) -> None:
    """Imports the pack of a batch, creates it and records every artifact, those of runs tried again in their turn."""
    import_pack(database, batch.pack)
    create_batch(database, batch.batch_id, batch.definition, NOW)
    for revision in range(1, 1 + max(split_revision(run_id)[1] for run_id in batch.artifacts)):
        if revision > 1:
            with database.transaction() as connection:
                revise_invalid_runs(connection, batch.batch_id)
        record(database, {r: data for r, data in batch.artifacts.items() if split_revision(r)[1] == revision})
        if finished:
            with database.transaction() as connection:
                assert close_batch(connection, batch.batch_id)


def record(database: Database, artifacts: Mapping[RunId, bytes]) -> None:
    """Records artifacts as the engine does."""
    for run_id, data in artifacts.items():
        opened = open_artifact(data)
        record_artifact(
            database,
            RunId(run_id),
            data,
            artifact_hash=opened.artifact_hash,
            verdict=opened.judgment.verdict,
            status=opened.result.status,
        )


def corrupt(database: Database, statement: str, **values: object) -> None:
    """What a careless hand with every right could do to a row: triggers are off."""
    with database.transaction() as connection:
        connection.execute(text("SET LOCAL session_replication_role = replica"))
        assert connection.execute(text(statement), values).rowcount == 1


def faults(database: Database, batch_id: str = "batch-1") -> list[tuple[str, str]]:
    found = Examination(WordScanner()).examine(StoredBatch(database, batch_id)).faults
    return [(fault.code, fault.message) for fault in found]


def codes(database: Database) -> set[str]:
    return {code for code, _ in faults(database)}


def test_a_stored_batch_is_published_as_the_same_bytes(database: Database, tmp_path: Path) -> None:
    store(database, BATCH)
    target = tmp_path / "showcase"
    publish([StoredBatch(database, "batch-1")], target, WordScanner())
    assert verify(target).holds
    for run_id, data in BATCH.artifacts.items():
        assert (target / "runs" / f"{run_id}.json").read_bytes() == data


def test_publishing_changes_nothing_in_the_database(database: Database, tmp_path: Path) -> None:
    store(database, BATCH)
    before = list(StoredBatch(database, "batch-1").runs())
    publish([StoredBatch(database, "batch-1")], tmp_path / "showcase", WordScanner())
    assert list(StoredBatch(database, "batch-1").runs()) == before


def test_a_release_grows_without_its_old_database(database: Database, tmp_path: Path) -> None:
    target = tmp_path / "showcase"
    publish([SampleSource.of(make_batch("batch-0", model_keys=("careful",)))], target, WordScanner())
    store(database, BATCH)
    publish([StoredBatch(database, "batch-1")], target, WordScanner())
    assert verify(target).batches == ("batch-0", "batch-1")


def test_runs_that_were_tried_again_are_published_with_those_that_they_supersede(
    database: Database, tmp_path: Path
) -> None:
    batch = make_batch(
        model_keys=("careful",),
        scenario=lambda planned: "pass",
        earlier=lambda planned: {1: UNLUCKY, 2: UNLUCKY[:1]}.get(planned.position, ()),
    )
    store(database, batch)
    assert [row.run_id for row in StoredBatch(database, "batch-1").runs()] == list(batch.artifacts)
    target = tmp_path / "showcase"
    assert publish([StoredBatch(database, "batch-1")], target, WordScanner()).runs == 9
    assert verify(target).holds


def test_a_batch_whose_runs_are_being_tried_again_is_not_finished(database: Database) -> None:
    store(database, make_batch(model_keys=("careful",)))
    with database.transaction() as connection:
        assert revise_invalid_runs(connection, BATCH.batch_id) == 1
    assert codes(database) == {"GATE-BATCH-002"}


def test_an_unknown_batch_is_a_fault_not_an_error(database: Database) -> None:
    assert [code for code, _ in faults(database, "nowhere")] == ["GATE-BATCH-001"]


def test_an_unfinished_batch_is_told(database: Database) -> None:
    store(database, BATCH, finished=False)
    assert codes(database) == {"GATE-BATCH-002"}


def test_a_definition_changed_in_its_row_is_told(database: Database) -> None:
    store(database, BATCH)
    corrupt(
        database,
        "UPDATE batch SET definition = set_byte(definition, 40, get_byte(definition, 40) # 1) WHERE id='batch-1'",
    )
    assert "GATE-BATCH-003" in codes(database)


def test_a_question_changed_in_its_row_is_told(database: Database) -> None:
    store(database, BATCH)
    corrupt(
        database,
        "UPDATE question SET content = replace(convert_from(content, 'UTF8'), 'NAV', 'PRICE')::bytea "
        "WHERE id = 'fund-nav'",
    )
    found = faults(database)
    assert [code for code, _ in found] == ["GATE-REF-001"]
    assert "fund-nav" in found[0][1]


def test_a_row_that_is_gone_is_told(database: Database) -> None:
    store(database, BATCH)
    corrupt(database, "DELETE FROM artifact WHERE run_id = 'batch-1-0003'")
    assert "GATE-RUNS-001" in codes(database)


@pytest.mark.parametrize("part", [*SECTION_NAMES, "salts", "digests", "artifact_hash", "run_id", "schema"])
def test_one_flipped_bit_in_any_part_of_a_row_is_refused(database: Database, tmp_path: Path, part: str) -> None:
    store(database, BATCH)
    run_id = next(name for name, data in BATCH.artifacts.items() if b'"kind":"tool"' in data)
    # the lowest bit of a byte just inside the part
    at = BATCH.artifacts[run_id].index(f'"{part}":'.encode()) + len(part) + 5
    corrupt(
        database,
        "UPDATE artifact SET bytes = set_byte(bytes, :at, get_byte(bytes, :at) # 1) WHERE run_id = :run_id",
        at=at,
        run_id=run_id,
    )
    target = tmp_path / "showcase"
    with pytest.raises(RefusalError) as caught:
        publish([StoredBatch(database, "batch-1")], target, WordScanner())
    assert "GATE-SEAL-001" in {fault.code for fault in caught.value.refusal.faults if fault.run_id == run_id}
    assert not target.exists()


def test_a_hash_changed_in_its_column_is_refused(database: Database) -> None:
    store(database, BATCH)
    corrupt(database, "UPDATE artifact SET artifact_hash = repeat('0', 64) WHERE run_id = 'batch-1-0001'")
    assert codes(database) == {"GATE-SEAL-002"}
