"""A whole batch over the finance pack in PostgreSQL: every case, every code, every byte twice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from dataset.artifacts.artifact import Artifact
from dataset.artifacts.digest import open_artifact
from dataset.record import BatchId, RunId
from dataset.store.batches import get_batch
from dataset.store.runs import events
from dataset.store.session import Database, connect
from engine.batches.run_files import restore_run_files
from engine.telemetry.assembly import assemble
from engine.telemetry.event import Event
from engine.telemetry.run_file import run_file
from tests.factories.stored import (
    assert_every_run_exactly_once,
    cloned_database,
    new_batch,
    run_batch,
    stored_artifacts,
)

CODES = {
    *("G1-VIS-001", "G1-VIS-002", "G2-RO-001", "G3-AUTH-001", "G3-AUTH-002"),
    *("G4-BUDGET-001", "G4-BUDGET-002", "G4-BUDGET-003", "G5-SCHEMA-001", "G5-SCHEMA-002"),
    *("G6-FIXTURE-001", "G7-OBS-001", "G7-OBS-002"),
    *("OUT-NUM-001", "OUT-C1-001", "OUT-C2-001"),
}
"""Every stable code but G6-FIXTURE-002, which needs a bank that somebody tampered with (see test_tampered_bank)."""


@dataclass(frozen=True, kw_only=True)
class Finished:
    database: Database
    home: Path
    batch_id: BatchId
    stored: Mapping[RunId, bytes]

    @property
    def artifacts(self) -> list[Artifact]:
        return [open_artifact(data, name=run_id) for run_id, data in self.stored.items()]


@pytest.fixture(scope="module")
def finished(database_server: str, bank_template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Finished]:
    home = tmp_path_factory.mktemp("home")
    with cloned_database(database_server, bank_template) as url, connect(url) as database:
        batch_id = new_batch(
            database, home, "b1", template="contrast", models=["scripted-careful", "scripted-careless"]
        )
        run_batch(database, home, batch_id)
        yield Finished(database=database, home=home, batch_id=batch_id, stored=stored_artifacts(database, batch_id))


def written(home: Path) -> dict[str, tuple[int, int]]:
    """Each run file's inode and time of writing: both change when it is replaced."""
    return {path.name: (path.stat().st_ino, path.stat().st_mtime_ns) for path in (home / "runs").iterdir()}


def test_every_case_variant_and_model_is_recorded_exactly_once(finished: Finished) -> None:
    attempts = assert_every_run_exactly_once(finished.database, finished.home, finished.batch_id)
    assert len(attempts) == 20 * 4 * 2
    assert set(attempts.values()) == {1}
    cells = {(a.case.case_id, a.case.variant_id, a.provenance.model.key) for a in finished.artifacts}
    assert len(cells) == 20 * 4 * 2


def test_no_scripted_run_is_invalid_and_each_says_that_it_is_synthetic(finished: Finished) -> None:
    counts = get_batch(finished.database, finished.batch_id).counts
    assert (counts.recorded, counts.invalid) == (160, 0)
    assert counts.passed > 0
    assert counts.failed > 0
    assert all(artifact.provenance.model.synthetic for artifact in finished.artifacts)


def test_every_stable_code_is_reached(finished: Finished) -> None:
    reached = {check.code for a in finished.artifacts for check in a.guardrail_checks if check.code is not None}
    assert reached >= CODES


def test_events_read_back_from_postgresql_give_the_very_bytes_of_the_artifact(finished: Finished) -> None:
    for run_id, data in finished.stored.items():
        told = [Event(seq=e.seq, kind=e.kind, body=e.body) for e in events(finished.database, run_id)]  # type: ignore[arg-type]
        assert [event.seq for event in told] == list(range(1, len(told) + 1))
        assert assemble(run_id, told) == data


def test_provenance_pins_what_the_batch_was_frozen_on(finished: Finished) -> None:
    definition = get_batch(finished.database, finished.batch_id).definition
    cases, variants = {str(c.id): c for c in definition.cases}, {v.id: v for v in definition.variants}
    for artifact in finished.artifacts:
        provenance, case = artifact.provenance, artifact.case
        assert provenance.pack == definition.pack
        assert provenance.catalogue_hash == definition.catalogue_hash
        assert provenance.fixture_set == definition.fixture_set
        assert provenance.prompt in definition.prompts
        assert (case.content_hash, case.gold_hash) == (cases[case.case_id].hash, cases[case.case_id].gold_hash)
        assert case.variant_hash == variants[case.variant_id].hash
        assert provenance.started_at <= provenance.finished_at


def test_running_a_finished_batch_again_changes_nothing(finished: Finished) -> None:
    before = written(finished.home)
    finished_at = get_batch(finished.database, finished.batch_id).finished_at
    run_batch(finished.database, finished.home, finished.batch_id)
    assert restore_run_files(finished.database, finished.home, finished.batch_id) == 0
    assert stored_artifacts(finished.database, finished.batch_id) == finished.stored
    assert written(finished.home) == before
    assert get_batch(finished.database, finished.batch_id).finished_at == finished_at
    assert {e.attempt for run_id in finished.stored for e in events(finished.database, run_id)} == {1}


def test_missing_torn_and_unfinished_files_are_made_again_from_postgresql(finished: Finished) -> None:
    missing, torn, emptied = list(finished.stored)[:3]
    run_file(finished.home, missing).unlink()
    run_file(finished.home, torn).write_bytes(finished.stored[torn][:100])
    run_file(finished.home, emptied).write_bytes(b"")
    (finished.home / "runs" / f".{missing}.99.tmp").write_bytes(b"{")
    assert restore_run_files(finished.database, finished.home, finished.batch_id) == 3
    assert_every_run_exactly_once(finished.database, finished.home, finished.batch_id)
