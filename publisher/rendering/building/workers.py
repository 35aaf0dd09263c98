"""Jobs done by several processes, their results in the jobs' order.

The processes are forked from one that has read the snapshot, so that none reads it again; without threads beside it,
which a fork would leave behind. What a process can't do, this one does itself, and says what is wrong.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Any

from publisher.rendering.building.result import JobResult, result_of
from publisher.rendering.pages.interface import JobFamily, SiteSource

_CHUNK = 8
"""Jobs that a process does at a time; fewer where there are few."""
_AHEAD = 3
"""Chunks for each process that may be done or under way before their turn: what they hold stays in memory."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Ground:
    family: JobFamily[Any]
    source: SiteSource
    jobs: Sequence[Any]

    @property
    def chunk(self) -> int:
        """So many that each process gets several times some."""
        return max(1, min(_CHUNK, len(self.jobs) // 16))


_Pending = Future[list[JobResult] | None] | None
_ground: _Ground | None = None
"""What a forked process works on; it came with the fork."""


def results(family: JobFamily[Any], source: SiteSource, jobs: Sequence[Any]) -> Iterator[JobResult]:
    """The result of every job, in order. Raises what doing the first job that can't be done raises."""
    processes = _processes()
    if processes < 2 or not _worth_processes(family, jobs):
        for job in jobs:
            yield result_of(family, source, job)
        return
    # Done before the fork, so that templates are compiled once and not by every process.
    yield result_of(family, source, jobs[0])
    ground = _Ground(family=family, source=source, jobs=jobs[1:])
    fork = multiprocessing.get_context("fork")
    # What a collection would touch in every process, each would get a copy of.
    gc.freeze()
    pool = ProcessPoolExecutor(processes, mp_context=fork, initializer=_begin, initargs=(ground,))
    try:
        yield from _in_order(pool, ground, processes)
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
        gc.unfreeze()


def _in_order(pool: ProcessPoolExecutor, ground: _Ground, processes: int) -> Iterator[JobResult]:
    waiting: deque[tuple[int, _Pending]] = deque()
    for start in range(0, len(ground.jobs), ground.chunk):
        waiting.append((start, _submitted(pool, start)))
        if len(waiting) > processes * _AHEAD:
            yield from _taken(*waiting.popleft(), ground)
    while waiting:
        yield from _taken(*waiting.popleft(), ground)


def _submitted(pool: ProcessPoolExecutor, start: int) -> _Pending:
    try:
        return pool.submit(_chunk, start)
    except BrokenProcessPool:
        return None


def _taken(start: int, pending: _Pending, ground: _Ground) -> Iterator[JobResult]:
    try:
        done = pending.result() if pending is not None else None
    except BrokenProcessPool:  # a process was killed: for want of memory, or by somebody
        done = None
    if done is not None:
        yield from done
        return
    for job in ground.jobs[start : start + ground.chunk]:
        yield result_of(ground.family, ground.source, job)


def _begin(ground: _Ground) -> None:
    global _ground
    _ground = ground


def _chunk(start: int) -> list[JobResult] | None:
    """In a forked process. None where a job can't be done: the process that asked finds out why."""
    assert _ground is not None
    jobs = _ground.jobs[start : start + _ground.chunk]
    try:
        return [result_of(_ground.family, _ground.source, job) for job in jobs]
    except Exception:
        return None


def _worth_processes(family: JobFamily[Any], jobs: Sequence[Any]) -> bool:
    return len(jobs) >= max(family.few, 2)


def _processes() -> int:
    if threading.active_count() > 1 or not hasattr(os, "fork"):
        return 1
    return len(os.sched_getaffinity(0))
