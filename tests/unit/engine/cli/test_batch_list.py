"""`glassbench batch list`: one batch that can't be read is shown as that, beside all the others."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime

import pytest

from dataset.record import BatchId
from dataset.store.batch_definition import BatchHashError
from dataset.store.batches import BatchCounts, BatchRow, UnreadableBatch
from engine.cli.batch_list import batch_list
from tests.factories import CASE_IDS, VARIANTS, make_case, make_definition, make_model, make_pack, make_template

CREATED = datetime(2026, 1, 2, tzinfo=UTC)
COUNTS = BatchCounts(planned=6, recorded=2, passed=1, failed=1, invalid=0)


class Opened:
    @contextmanager
    def transaction(self) -> Iterator[None]:
        yield None


@pytest.fixture(autouse=True)
def stored(monkeypatch: pytest.MonkeyPatch) -> None:
    cases, template = [make_case(case_id) for case_id in CASE_IDS], make_template()
    pack = make_pack(cases, template=template, variants=VARIANTS)
    definition = make_definition(pack, template=template, models=[make_model("small")], cases=cases)
    rows = [
        BatchRow(
            id=BatchId("new"),
            definition=definition,
            definition_hash=definition.digest(),
            created_at=CREATED,
            finished_at=None,
            counts=COUNTS,
            terms=None,
        ),
        UnreadableBatch(
            id=BatchId("old"),
            fault=BatchHashError("batch old: can't be read", hint="use version 0\x1b"),
            created_at=CREATED,
            finished_at=CREATED,
            counts=COUNTS,
        ),
    ]
    monkeypatch.setattr("dataset.store.session.open_database", lambda: nullcontext(Opened()))
    monkeypatch.setattr("dataset.store.batch_figures.wishes", lambda _: {BatchId("new"): ("pause", "BATCH-MODEL-002")})
    for figure in ("lease_holders", "runs_to_try_again"):
        monkeypatch.setattr(f"dataset.store.batch_figures.{figure}", lambda _: {})
    monkeypatch.setattr("dataset.store.batch_figures.cancelled_by_owner", lambda _: frozenset())
    monkeypatch.setattr("dataset.store.batches.list_batches", lambda _: rows)


def test_json_tells_what_is_known_of_an_unreadable_batch_and_why_no_more(capsys: pytest.CaptureFixture[str]) -> None:
    batch_list(as_json=True)
    new, old = json.loads(capsys.readouterr().out)
    assert (new["state"], new["template"], new["models"], new["fault"]) == ("open", "contrast@1", ["small"], None)
    assert (new["wish"], new["reason"]) == ("pause", "BATCH-MODEL-002")
    assert (old["state"], old["template"], old["models"], old["recorded"]) == ("unreadable", None, None, 2)
    assert old["fault"] == "batch old: can't be read (use version 0\x1b) [BATCH-HASH-001]"


def test_table_holds_every_batch_and_the_reason_goes_to_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    batch_list()
    printed = capsys.readouterr()
    assert "contrast@1" in printed.out
    assert "unreadable" in printed.out
    assert "paused (BATCH-MODEL-002)" in printed.out
    assert printed.err == "batch old: can't be read (use version 0\\x1b) [BATCH-HASH-001]\n"
