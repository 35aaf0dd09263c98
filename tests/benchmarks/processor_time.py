"""Processor time and memory of processes, as Linux counts them."""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, kw_only=True)
class Spent:
    """Seconds of one stretch of work: on the clock, and of processor time of each party."""

    runs: int
    seconds: float
    ours: float
    postgres: float
    server: float

    def per_thousand(self, seconds: float) -> float:
        """Seconds for 1,000 runs."""
        return seconds * 1000 / self.runs


def measured(work: Callable[[], object], *, runs: int, postmaster: int, server: int) -> Spent:
    """What the work has cost this process, PostgreSQL with all its children, and the model's server."""
    began, ours, postgres, other = time.monotonic(), time.process_time(), _family(postmaster), _own(server)
    work()
    return Spent(
        runs=runs,
        seconds=time.monotonic() - began,
        ours=time.process_time() - ours,
        postgres=_family(postmaster) - postgres,
        server=_own(server) - other,
    )


def peak_mib() -> float:
    """The most memory that this process has held so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _family(pid: int) -> float:
    """A process with its children, those that have ended and been waited for among them."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    user, system, ended_user, ended_system = _times(pid)
    return (user + system + ended_user + ended_system) / _TICKS + sum(_own(int(child)) for child in children)


def _own(pid: int) -> float:
    try:
        user, system, _, _ = _times(pid)
    except OSError:  # it has ended meanwhile, and is counted with its parent from now on
        return 0.0
    return (user + system) / _TICKS


def _times(pid: int) -> tuple[int, int, int, int]:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    user, system, ended_user, ended_system = (int(field) for field in fields[11:15])
    return user, system, ended_user, ended_system
