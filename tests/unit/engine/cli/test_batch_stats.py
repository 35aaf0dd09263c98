"""`glassbench batch stats`: the numbers of the runs that are there, and words where there is too little evidence."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest

from dataset.measures.statistics.batch import measure_batch
from dataset.store.batches import BatchCounts, BatchRow
from engine.cli.batch_stats import batch_stats
from tests.factories import make_batch

Stored = Callable[..., None]
CREATED = datetime(2026, 1, 2, tzinfo=UTC)
CASES = tuple(f"case-{number:02d}" for number in range(12))
LARGE = make_batch("large", case_ids=CASES, repeats=2)
SMALL = make_batch("small")


@pytest.fixture
def stored(monkeypatch: pytest.MonkeyPatch) -> Stored:
    def store(batch: Any, *, recorded: int | None = None, superseded: frozenset[str] = frozenset()) -> None:
        runs = list(batch.artifacts.items())[:recorded]
        counts = BatchCounts(planned=len(batch.artifacts), recorded=len(runs), passed=0, failed=0, invalid=0)
        row = BatchRow(
            id=batch.batch_id,
            definition=batch.definition,
            definition_hash=batch.definition.digest(),
            created_at=CREATED,
            finished_at=CREATED if recorded is None else None,
            counts=counts,
            terms=None,
        )
        found = [SimpleNamespace(run_id=run_id, data=data) for run_id, data in runs]
        figures = SimpleNamespace(superseded=superseded)
        monkeypatch.setattr("dataset.store.session.open_database", lambda: nullcontext(None))
        monkeypatch.setattr("dataset.store.service_state.frozen_moment", frozen)
        monkeypatch.setattr("dataset.store.batch_figures.batch_figures", lambda *_: figures)
        monkeypatch.setattr("dataset.store.batches.get_batch", lambda *_: row)
        monkeypatch.setattr("dataset.store.runs.iterate_artifacts", lambda *_: iter(found))

    return store


@contextmanager
def frozen(_: object, *, seconds: int) -> Iterator[None]:
    yield None


def printed(capsys: pytest.CaptureFixture[str], batch_id: str) -> str:
    batch_stats(batch_id)
    return capsys.readouterr().out


def test_json_is_what_a_report_carries(stored: Stored, capsys: pytest.CaptureFixture[str]) -> None:
    stored(LARGE)
    batch_stats("large", as_json=True)
    found = json.loads(capsys.readouterr().out)
    assert (found["batch_id"], found["planned"], found["recorded"], found["finished"]) == ("large", 96, 96, True)
    statistics = LARGE.report.statistics
    assert statistics is not None
    assert found["statistics"] == statistics.body()


def test_a_finished_batch_shows_rates_repeats_contrasts_and_tie_groups(
    stored: Stored, capsys: pytest.CaptureFixture[str]
) -> None:
    stored(LARGE)
    out = printed(capsys, "large")
    assert "large: all 96 planned runs are recorded" in out
    for title in (
        "careful: pass rates of runs",
        "careful: the same by case",
        "pass@2",
        "careful: differences over pairs; p for 2 contrasts (Holm)",
        "detectable",
        "tie groups of models; 1 of 1 pair tested",
        "careless: tie groups of arms",
    ):
        assert title in out


def test_no_line_is_wider_than_a_terminal_of_80_columns(stored: Stored, capsys: pytest.CaptureFixture[str]) -> None:
    stored(LARGE)
    assert max(map(len, printed(capsys, "large").splitlines())) <= 80


def test_three_cases_are_not_enough_evidence_in_words(stored: Stored, capsys: pytest.CaptureFixture[str]) -> None:
    stored(SMALL)
    out = printed(capsys, "small")
    assert "not enough evidence" in out
    assert "0 of 1 pair tested" in out


def test_an_unfinished_batch_says_how_many_runs_are_there(stored: Stored, capsys: pytest.CaptureFixture[str]) -> None:
    stored(SMALL, recorded=5)
    out = printed(capsys, "small")
    assert "small: 5 of 12 planned runs are recorded" in out
    assert "it isn't finished" in out


def test_a_batch_without_a_run_shows_no_number(stored: Stored, capsys: pytest.CaptureFixture[str]) -> None:
    stored(SMALL, recorded=0)
    out = printed(capsys, "small")
    assert "small: 0 of 12 planned runs are recorded" in out
    assert "no valid run" in out


def test_a_run_that_was_planned_again_counts_for_nothing(stored: Stored, capsys: pytest.CaptureFixture[str]) -> None:
    again = frozenset(list(SMALL.artifacts)[:1])
    stored(SMALL, superseded=again)
    batch_stats("small", as_json=True)
    found = json.loads(capsys.readouterr().out)
    assert (found["recorded"], found["planned"]) == (11, 12)
    left = [run for run in SMALL.report.runs if run.run_id not in again]
    assert found["statistics"] == measure_batch(SMALL.definition, left).body()
