"""Something slow that many ask for: computed once at a time, shared by all who wait, and not again for a while."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class BusyError(Exception):
    """It isn't there in time; whoever asks later may get it."""


class SingleFlight(Generic[T]):
    """`get` computes in a thread of its own, so that whoever asks waits no longer than `wait` seconds.

    A result, or an error, is given out again until it is `fresh` seconds old.
    """

    def __init__(self, compute: Callable[[], T], *, fresh: float, wait: float) -> None:
        self._compute = compute
        self._fresh = fresh
        self._wait = wait
        self._lock = threading.Lock()
        self._flight: _Flight[T] | None = None

    def get(self) -> T:
        """The result; BusyError; whatever computing raised."""
        with self._lock:
            flight = self._flight
            if flight is None or flight.age() > self._fresh:
                flight = self._flight = _Flight(self._compute)
                threading.Thread(target=flight.run, name="glassbench-figures", daemon=True).start()
        return flight.result(self._wait)


class _Flight(Generic[T]):
    def __init__(self, compute: Callable[[], T]) -> None:
        self._compute = compute
        self._landed = threading.Event()
        self._landed_at = 0.0
        self._found: T | None = None
        self._error: Exception | None = None

    def age(self) -> float:
        """Seconds since it ended; negative before."""
        return time.monotonic() - self._landed_at if self._landed.is_set() else -1.0

    def run(self) -> None:
        try:
            self._found = self._compute()
        except Exception as error:
            self._error = error
        self._landed_at = time.monotonic()
        self._landed.set()

    def result(self, wait: float) -> T:
        if not self._landed.wait(wait):
            raise BusyError
        if self._error is not None:
            raise self._error
        assert self._found is not None
        return self._found
