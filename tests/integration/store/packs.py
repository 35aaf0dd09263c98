"""A small whole pack with an entry of every kind, and a batch over it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import text

from dataset.artifacts.definition import BatchDefinition
from dataset.questions.pack import Pack
from dataset.questions.prompt import Prompt
from dataset.questions.transcript import ScriptedCall, ScriptedTurn, Transcript
from dataset.record import BatchId
from dataset.store import lifecycle
from dataset.store.bank import import_pack
from dataset.store.batches import create_batch
from dataset.store.leases import Claim, Lease, claim, runs_of
from dataset.store.session import Database
from tests import factories
from tests.factories import CASE_IDS, VARIANTS, both, make_case, make_definition, make_model, make_template
from tests.factories.recording import record_artifact

CASES = [make_case(case_id) for case_id in CASE_IDS]
B1 = BatchId("b1")
CREATED = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def make_pack(*, pack_id: str = "sample", version: int = 1, note: str = "", repeats: int = 1) -> Pack:
    """The sample pack with transcripts (`note` stands in them) and text that a text column couldn't hold."""
    pack = factories.make_pack(CASES, template=make_template(repeats=repeats), variants=VARIANTS)
    turn = ScriptedTurn(text=both(f"1.2345 {note}"), calls=(ScriptedCall(tool="fund_nav", arguments={"x": 1.5}),))
    return replace(
        pack,
        head=pack.head.model_copy(update={"id": pack_id, "version": version}),
        prompts={
            ("assistant", 1): Prompt(id="assistant", version=1, text=both("You help.\x00 \U0001f600", "你来帮忙。"))
        },
        transcripts={
            ("careful", case.question.id): Transcript(
                style="careful", case_id=case.question.id, version=1, turns=(turn,)
            )
            for case in CASES
        },
    )


def with_changed_title(pack: Pack, case_id: str, *, version: int = 1) -> Pack:
    """The pack with another title for one question."""
    question = pack.questions[case_id].model_copy(update={"title": both("Another title"), "version": version})
    return replace(pack, questions={**pack.questions, case_id: question})


def make_planned(pack: Pack) -> BatchDefinition:
    """A batch of every case, both variants and one model."""
    return make_definition(pack, template=pack.templates["contrast"], models=[make_model("small")], cases=CASES)


def start_batch(database: Database, batch_id: str = "b1", *, repeats: int = 1) -> BatchId:
    """An imported pack and a new batch over it, of six runs a repeat."""
    pack = make_pack(repeats=repeats)
    import_pack(database, pack)
    create_batch(database, BatchId(batch_id), make_planned(pack), CREATED)
    return BatchId(batch_id)


def audit_kinds(database: Database, subject: str) -> list[str]:
    """The kinds of the audit events about a batch, in their order."""
    statement = text("SELECT kind FROM audit_event WHERE subject = :subject ORDER BY number")
    with database.transaction() as connection:
        return list(connection.execute(statement, {"subject": subject}).scalars())


def start_served(database: Database, batch_id: str = "b1", *, quantum: int = 2, repeats: int = 1) -> BatchId:
    """A new batch that is wanted to run, in slices of `quantum` runs."""
    made = start_batch(database, batch_id, repeats=repeats)
    lifecycle.start_batch(database, made, quantum=quantum, model_keys=["small"])
    return made


def take(database: Database, batch_id: BatchId = B1, owner: str = "w1", *, seconds: float = 60) -> Claim:
    """A lease on the next slice; AssertionError where there is none. One of 0 seconds has run out at once."""
    with database.transaction() as connection:
        found = claim(connection, batch_id, owner, seconds)
    assert found is not None
    return found


def slice_row(database: Database, lease: Lease) -> Any:
    """The slice as stored."""
    statement = text("SELECT * FROM slice WHERE batch_id = :batch_id AND number = :number")
    with database.transaction() as connection:
        return connection.execute(statement, {"batch_id": lease.batch_id, "number": lease.number}).one()


def record_slice(database: Database, lease: Lease, *, leave: int = 0) -> None:
    """Records what is missing of a slice but for the last few runs."""
    with database.transaction() as connection:
        runs = runs_of(connection, lease)
    for run in runs[: len(runs) - leave]:
        record_artifact(database, run.plan.run_id)
