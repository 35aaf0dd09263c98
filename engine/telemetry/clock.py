"""Time, handed in so that the core stays free of it."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Protocol

from dataset.record import UtcTime


class Clock(Protocol):
    """Wall time for records."""

    def now(self) -> UtcTime:
        """UTC ISO 8601 to the millisecond."""
        ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> UtcTime:
        """UTC ISO 8601 to the millisecond."""
        return utc_text(datetime.now(UTC))


class SharedClock:
    """The database's clock, carried on by this machine's steady one between two looks at it.

    Workers on several machines tell times by one clock, however wrong their own are.
    """

    def __init__(self, moment: datetime, *, steady: Callable[[], float] = time.monotonic) -> None:
        self._steady = steady
        self._moment, self._at = moment, steady()

    def set(self, moment: datetime) -> None:
        """Takes the time that the database has just told; the clock never goes back, so no run ends before it began."""
        self._moment, self._at = max(moment, self.moment()), self._steady()

    def moment(self) -> datetime:
        """The time now, with its zone."""
        return self._moment + timedelta(seconds=self._steady() - self._at)

    def now(self) -> UtcTime:
        """UTC ISO 8601 to the millisecond."""
        return utc_text(self.moment())


def utc_text(moment: datetime) -> UtcTime:
    """A moment in UTC as records write it."""
    own = moment if moment.tzinfo is UTC else moment.astimezone(UTC)
    return own.isoformat(timespec="milliseconds")[: -len("+00:00")] + "Z"
