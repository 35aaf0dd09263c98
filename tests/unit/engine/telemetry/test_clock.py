"""Workers tell times by the database's clock, however wrong their own machine's is."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

import engine
from engine.telemetry.clock import SharedClock

NOON = datetime(2026, 1, 2, 12, 0, 0, tzinfo=UTC)
ASKS_THE_MACHINE = re.compile(r"datetime\.now\(|time\.time\(|utcnow\(|SystemClock\(")
ENGINE = Path(engine.__file__).parent


class Steady:
    """A steady clock that a test moves."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds


def test_the_databases_time_is_carried_on_by_a_steady_clock() -> None:
    steady = Steady()
    clock = SharedClock(NOON, steady=steady)
    steady.seconds += 90.5
    assert clock.now() == "2026-01-02T12:01:30.500Z"


@pytest.mark.parametrize(("told", "then"), [(101, 102), (99, 101)])
def test_each_look_at_the_database_sets_the_clock_forward_and_never_back(told: int, then: int) -> None:
    steady = Steady()
    clock = SharedClock(NOON, steady=steady)
    steady.seconds += 100
    clock.set(NOON + timedelta(seconds=told))
    steady.seconds += 1
    assert clock.moment() == NOON + timedelta(seconds=then)


def test_a_time_of_another_zone_is_told_in_utc() -> None:
    clock = SharedClock(NOON.astimezone(timezone(timedelta(hours=8))), steady=Steady())
    assert clock.now() == "2026-01-02T12:00:00.000Z"


@pytest.mark.parametrize("package", ["agent", "batches", "governance", "guardrails", "judges", "ledger"])
def test_nothing_that_a_worker_does_asks_its_machine_for_the_time(package: str) -> None:
    """So a machine whose clock is an hour off leaves the same records, leases and budgets as any other."""
    asking = [path.name for path in (ENGINE / package).glob("*.py") if ASKS_THE_MACHINE.search(path.read_text("utf-8"))]
    assert asking == []
