"""What an owner sees while a batch runs."""

from __future__ import annotations

import pytest

from dataset.artifacts.artifact import Artifact, Cost
from dataset.artifacts.digest import open_artifact
from engine.batches import progress
from engine.batches.progress import BatchTally, batch_progress
from tests.factories import make_batch


@pytest.fixture(scope="module")
def artifacts() -> list[Artifact]:
    return [open_artifact(data) for data in make_batch("b").artifacts.values()]


def priced(artifact: Artifact, amount: str | None, currency: str = "USD") -> Artifact:
    cost = None if amount is None else Cost(amount=amount, currency=currency)
    return artifact.model_copy(update={"result": artifact.result.model_copy(update={"cost": cost})})


def lines(capsys: pytest.CaptureFixture[str]) -> list[str]:
    captured = capsys.readouterr()
    assert captured.out == ""
    return captured.err.splitlines()


def test_plain_lines_at_the_first_and_last_run_when_stderr_is_no_terminal(
    artifacts: list[Artifact], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "PLAIN_INTERVAL", 1e9)
    with batch_progress(BatchTally(4)) as shown:
        for _ in range(4):
            shown.advance(priced(artifacts[0], "0.25"))
    first, last = lines(capsys)
    assert first.startswith("1/4 passed 1, failed 0, invalid 0, cost 0.25 USD, about ")
    assert last.startswith("4/4 passed 4, failed 0, invalid 0, cost 1.00 USD, about 0 s left")
    assert "\x1b" not in first + last


def test_lines_in_between_come_after_the_interval(
    artifacts: list[Artifact], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "PLAIN_INTERVAL", 0.0)
    with batch_progress(BatchTally(4)) as shown:
        for _ in range(4):
            shown.advance(artifacts[0])
    assert [line.split(" ")[0] for line in lines(capsys)] == ["1/4", "2/4", "3/4", "4/4"]


def test_a_resumed_batch_counts_what_was_recorded_before(
    artifacts: list[Artifact], capsys: pytest.CaptureFixture[str]
) -> None:
    with batch_progress(BatchTally(3, passed=1, invalid=1)) as shown:
        shown.advance(artifacts[0])
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
        ([(None, "USD")], "unknown"),
        ([("0.10", "USD"), (None, "USD")], "0.10 USD + unknown"),
    ],
)
def test_unknown_costs_stay_visible_beside_known_ones(
    artifacts: list[Artifact], amounts: list[tuple[str | None, str]], shown: str
) -> None:
    tally = BatchTally(9)
    for amount, currency in amounts:
        tally.add(priced(artifacts[0], amount, currency))
    assert tally.cost == shown
