"""Files in loads that are worth a thread's while, scanned side by side and told in order.

Threads, not processes: most of a scan is native code that lets other threads run, and nothing is set up twice.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from publisher.scanning.tree import Entry

LOAD_BYTES = 512 * 1024
LOAD_FILES = 64
# Loads read ahead for each thread: memory stays flat however large the tree.
AHEAD = 2

Result = TypeVar("Result")


def loads(entries: Iterable[Entry]) -> Iterator[list[Entry]]:
    """The entries in their order, so many at a time that they make up about `LOAD_BYTES`."""
    load: list[Entry] = []
    size = 0
    for entry in entries:
        load.append(entry)
        size += entry.size
        if size >= LOAD_BYTES or len(load) >= LOAD_FILES:
            yield load
            load, size = [], 0
    if load:
        yield load


def in_order(work: Callable[[list[Entry]], Result], every: Iterable[list[Entry]]) -> Iterator[Result]:
    """What `work` makes of each load, in the order of the loads, done by as many threads as there are cores."""
    threads = os.cpu_count() or 1
    waiting: deque[Future[Result]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        try:
            for load in every:
                waiting.append(pool.submit(work, load))
                if len(waiting) > threads * AHEAD:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()
