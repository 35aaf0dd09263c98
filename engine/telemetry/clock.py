"""Time, handed in so that the core stays free of it."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Protocol

from dataset.record import UtcTime


class Clock(Protocol):
    """Wall time for records, monotonic time for durations."""

    def now(self) -> UtcTime:
        """UTC ISO 8601 to the millisecond."""
        ...

    def monotonic_ms(self) -> int:
        """Milliseconds of a clock that never goes back."""
        ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> UtcTime:
        """UTC ISO 8601 to the millisecond."""
        return utc_text(datetime.now(UTC))

    def monotonic_ms(self) -> int:
        """Milliseconds of a clock that never goes back."""
        return time.monotonic_ns() // 1_000_000


def utc_text(moment: datetime) -> UtcTime:
    """A moment in UTC as records write it."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
