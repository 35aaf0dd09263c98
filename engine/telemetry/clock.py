"""Time, handed in so that the core stays free of it."""

from __future__ import annotations

from datetime import UTC, datetime
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


def utc_text(moment: datetime) -> UtcTime:
    """A moment in UTC as records write it."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
