"""When the stamp of a file can be believed: once the clock that stamps are taken from has moved on.

A clock moves in steps, of some milliseconds mostly, of seconds on some file systems. What is changed twice within one
step has the same stamp after both. A stamp from before the current step can't come again.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

_STEP_SECONDS = 0.001
_MOST_STEPS = 40


def clock_moved_on(touched: Path) -> int:
    """The time, in nanoseconds, before which no file of a file system can be stamped any more: that of a step after the
    one at the call, if there is one within some milliseconds. Touches a file; OSError where that can't be done."""
    first = now = _time_of(touched)
    for _ in range(_MOST_STEPS):
        if now > first:
            break
        time.sleep(_STEP_SECONDS)
        now = _time_of(touched)
    return now


def _time_of(touched: Path) -> int:
    os.utime(touched)
    return touched.lstat().st_ctime_ns
