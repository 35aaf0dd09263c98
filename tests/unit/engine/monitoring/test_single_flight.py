"""Something slow that many ask for."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest

from engine.monitoring.single_flight import BusyError, SingleFlight


class Slow:
    """Counts how often it is computed; waits until it may end."""

    def __init__(self) -> None:
        self.may_end = threading.Event()
        self.begun = threading.Semaphore(0)
        self.count = 0

    def __call__(self) -> int:
        self.count += 1
        self.begun.release()
        self.may_end.wait(30)
        return self.count


def test_those_who_ask_at_once_share_one_result() -> None:
    slow = Slow()
    flight = SingleFlight(slow, fresh=60, wait=30)
    with ThreadPoolExecutor(8) as pool:
        asked = [pool.submit(flight.get) for _ in range(8)]
        slow.begun.acquire()
        slow.may_end.set()
        assert [one.result() for one in asked] == [1] * 8
    assert slow.count == 1


def test_who_waits_too_long_is_told_so_and_a_later_one_gets_the_same_result() -> None:
    slow = Slow()
    flight = SingleFlight(slow, fresh=60, wait=0.01)
    for _ in range(3):
        with pytest.raises(BusyError):
            flight.get()
    slow.may_end.set()
    while True:
        with suppress(BusyError):
            assert flight.get() == 1
            break
    assert slow.count == 1


def test_a_result_that_is_not_fresh_any_more_is_computed_again() -> None:
    slow = Slow()
    slow.may_end.set()
    flight = SingleFlight(slow, fresh=0, wait=30)
    assert [flight.get(), flight.get()] == [1, 2]


def test_an_error_is_raised_to_whoever_asks() -> None:
    def broken() -> int:
        raise LookupError

    flight = SingleFlight(broken, fresh=60, wait=30)
    for _ in range(2):
        with pytest.raises(LookupError):
            flight.get()
