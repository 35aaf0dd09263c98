"""Whether a worker lives: judged by what it has really done, never by a timer that goes on beside a hung loop."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from dataset.store.workers import LIVE_SECONDS

COMMIT_SECONDS = 30.0
"""A group that takes longer than this to commit holds up every run of the worker."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Liveness:
    """The verdict and, where it is no, why; both made of our own words and numbers."""

    live: bool
    reason: str = ""


def judge(*, idle: float, committing: float | None) -> Liveness:
    """`idle`: seconds since anything was really done; `committing`: for how long a group has been at its commit."""
    if committing is not None and committing > COMMIT_SECONDS:
        return Liveness(live=False, reason=f"writes have been waiting for their commit for {committing:.0f} s")
    if idle > LIVE_SECONDS:
        return Liveness(
            live=False,
            reason=f"nothing was done for {idle:.0f} s: the database doesn't answer, or the event loop hangs",
        )
    return Liveness(live=True)


class Pulse:
    """When a worker last did something. Written by its threads, read by the one that answers probes."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._progress_at = clock()
        self._committing_at: float | None = None
        self.draining = False

    def progressed(self) -> None:
        """Something was really done."""
        self._progress_at = self._clock()

    def committing(self) -> None:
        """A group is at its commit."""
        self._committing_at = self._clock()

    def committed(self, *, kept: bool) -> None:
        """It has ended; progress only where it was kept."""
        self._committing_at = None
        if kept:
            self.progressed()

    @property
    def idle(self) -> float:
        """Seconds since something was really done."""
        return max(0.0, self._clock() - self._progress_at)

    def liveness(self) -> Liveness:
        """How it stands now."""
        since = self._committing_at
        return judge(idle=self.idle, committing=None if since is None else self._clock() - since)
