"""What an owner sees while a batch runs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dataset.artifacts.artifact import Cost
from dataset.artifacts.digest import open_artifact
from engine.batches import progress
from engine.batches.progress import BatchTally, batch_progress
from engine.telemetry.assembly import Sealed
from tests.factories import make_batch


@pytest.fixture(scope="module")
def runs() -> list[Sealed]:
    return [sealed(data) for data in make_batch("b").artifacts.values()]


def sealed(data: bytes) -> Sealed:
    opened = open_artifact(data)
    verdict, result = opened.judgment.verdict, opened.result
    return Sealed(data=data, artifact_hash=opened.artifact_hash, verdict=verdict, result=result)


def priced(run: Sealed, amount: str | None, currency: str = "USD") -> Sealed:
    cost = None if amount is None else Cost(amount=amount, currency=currency)
    return replace(run, result=run.result.model_copy(update={"cost": cost}))


def lines(capsys: pytest.CaptureFixture[str]) -> list[str]:
    captured = capsys.readouterr()
    assert captured.out == ""
    return captured.err.splitlines()


def test_plain_lines_at_the_first_and_last_run_when_stderr_is_no_terminal(
    runs: list[Sealed], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "PLAIN_INTERVAL", 1e9)
    with batch_progress(BatchTally(4)) as shown:
        for _ in range(4):
            shown.advance(priced(runs[0], "0.25"))
    first, last = lines(capsys)
    assert first == "1/4 passed 1, failed 0, invalid 0, cost 0.25 USD"
    assert last == "4/4 passed 4, failed 0, invalid 0, cost 1.00 USD"
    assert "\x1b" not in first + last


def test_lines_in_between_come_after_the_interval(
    runs: list[Sealed], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "PLAIN_INTERVAL", 0.0)
    with batch_progress(BatchTally(4)) as shown:
        for _ in range(4):
            shown.advance(runs[0])
    assert [line.split(" ")[0] for line in lines(capsys)] == ["1/4", "2/4", "3/4", "4/4"]


def test_the_time_left_is_told_once_enough_runs_were_made_and_only_while_some_are_left(
    runs: list[Sealed], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "PLAIN_INTERVAL", 0.0)
    with batch_progress(BatchTally(7)) as shown:
        for _ in range(7):
            shown.advance(runs[0])
    assert [" left" in line for line in lines(capsys)] == [False, False, False, False, True, True, False]


def test_no_time_left_is_told_of_runs_made_in_a_moment(
    runs: list[Sealed], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "PLAIN_INTERVAL", 1e9)
    with batch_progress(BatchTally(9)) as shown:
        for _ in range(9):
            shown.advance(runs[0])
    assert not any(" left" in line for line in lines(capsys))


def test_a_resumed_batch_counts_what_was_recorded_before(
    runs: list[Sealed], capsys: pytest.CaptureFixture[str]
) -> None:
    with batch_progress(BatchTally(3, passed=1, invalid=1)) as shown:
        shown.advance(runs[0])
    assert lines(capsys)[0].startswith("3/3 passed 2, failed 0, invalid 1, ")


def test_nothing_to_run_shows_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with batch_progress(BatchTally(3, passed=3)):
        pass
    assert lines(capsys) == []


@pytest.mark.parametrize(
    ("amounts", "shown"),
    [
        ([], "–"),
        ([("0.10", "USD"), ("0.20", "USD")], "0.30 USD"),
        ([("0.10", "USD"), ("1", "EUR")], "1 EUR + 0.10 USD"),
        ([("0.10", "USD"), ("1", "EUR"), (None, "USD")], "1 EUR + 0.10 USD + unknown"),
        ([(None, "USD")], "unknown"),
        ([("0.10", "USD"), (None, "USD")], "0.10 USD + unknown"),
    ],
)
def test_unknown_costs_stay_visible_beside_known_ones(
    runs: list[Sealed], amounts: list[tuple[str | None, str]], shown: str
) -> None:
    tally = BatchTally(9)
    for amount, currency in amounts:
        tally.add(priced(runs[0], amount, currency))
    assert tally.cost == shown


def test_what_scripted_models_cost_follows_from_their_price_and_is_unknown_without_one(runs: list[Sealed]) -> None:
    tally = BatchTally(3, scripted=True)
    assert tally.cost == "–"
    tally.add(priced(runs[0], None))
    assert tally.cost == "unknown"
    tally.add(priced(runs[0], "0.25"))
    assert tally.cost == "0.25 USD (scripted) + unknown"
    free = BatchTally(1, scripted=True)
    free.add(priced(runs[0], "0"))
    assert free.cost == "0 USD (scripted)"


def test_giving_up_tells_neither_cost_nor_time(runs: list[Sealed], capsys: pytest.CaptureFixture[str]) -> None:
    with batch_progress(BatchTally(1, asks=False)) as shown:
        shown.advance(runs[0])
    assert lines(capsys) == ["1/1 passed 1, failed 0, invalid 0"]
