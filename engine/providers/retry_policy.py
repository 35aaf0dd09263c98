"""When a failed call is tried again, and after how long: exponential backoff with full jitter."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

RETRY_AFTER_CAP_SECONDS = 120.0


def _utc_now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, kw_only=True, slots=True)
class Clockwork:
    """Time and chance, handed in so that a test can hold them still."""

    clock: Callable[[], float] = time.monotonic
    """Seconds from an arbitrary start; only differences mean something."""
    now: Callable[[], datetime] = _utc_now
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    jitter: Callable[[], float] = random.random
    """A number from 0 to 1."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RetryPolicy:
    """How often and how patiently a call is tried again."""

    max_retries: int
    base_seconds: float = 1.0
    cap_seconds: float = 30.0

    def delay(self, failures: int, *, retry_after: float | None, jitter: float) -> float | None:
        """Seconds to wait after so many failed attempts (1 or more); None where no retry is left.

        Full jitter: a random share of min(cap, base x 2^n). What the server asks for is waited at least, up to
        RETRY_AFTER_CAP_SECONDS; the jitter on top keeps callers that were refused together from coming back together.
        """
        if failures > self.max_retries:
            return None
        backoff = jitter * min(self.cap_seconds, self.base_seconds * 2.0 ** (failures - 1))
        return backoff + min(retry_after or 0.0, RETRY_AFTER_CAP_SECONDS)


def retry_after_seconds(header: str | None, now: datetime) -> float | None:
    """Seconds that a Retry-After header asks for (RFC 9110, 10.2.3: seconds or a date); None where it says nothing."""
    if header is None:
        return None
    text = header.strip()
    if text.isascii() and text.isdigit():
        return float(text[:9])
    try:
        when = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    return max(0.0, (when.replace(tzinfo=when.tzinfo or UTC) - now).total_seconds())
