"""When a worker is said to live."""

from __future__ import annotations

import pytest

from engine.monitoring.liveness import Liveness, Pulse, judge


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.mark.parametrize("idle", [0.0, 60.0])
def test_a_worker_that_did_something_within_a_minute_lives(idle: float) -> None:
    assert judge(idle=idle, committing=None) == Liveness(live=True)


def test_time_alone_makes_a_worker_dead(clock: Clock) -> None:
    pulse = Pulse(clock)
    clock.now += 61
    found = pulse.liveness()
    assert not found.live
    assert found.reason == "nothing was done for 61 s: the database doesn't answer, or the event loop hangs"
    pulse.progressed()
    assert pulse.liveness().live


def test_a_commit_that_hangs_makes_a_worker_dead_though_its_loop_goes_on(clock: Clock) -> None:
    pulse = Pulse(clock)
    pulse.committing()
    clock.now += 31
    pulse.progressed()
    assert pulse.liveness().reason == "writes have been waiting for their commit for 31 s"
    pulse.committed(kept=True)
    assert pulse.liveness().live


def test_a_group_that_was_lost_is_no_progress(clock: Clock) -> None:
    pulse = Pulse(clock)
    clock.now += 50
    pulse.committed(kept=False)
    assert pulse.idle == 50
    pulse.committed(kept=True)
    assert pulse.idle == 0
