"""Run by a test: `python every_act.py FOLDER DAYS SEED` makes a snapshot by every act, as if on another day and on a
file system that lists folders in another order."""

from __future__ import annotations

import datetime
import os
import random
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

DAYS, ORDER = int(sys.argv[2]), random.Random(int(sys.argv[3]))
_clock, _scan, _list = time.time, os.scandir, os.listdir


class AnotherDay(datetime.datetime):
    """A clock that is some days late."""

    @classmethod
    def now(cls, tz: datetime.tzinfo | None = None) -> AnotherDay:
        return cls.fromtimestamp(time.time(), tz)


@contextmanager
def shuffled_scan(path: Any = ".") -> Iterator[Iterator[os.DirEntry[str]]]:
    with _scan(path) as found:
        entries = list(found)
    ORDER.shuffle(entries)
    yield iter(entries)


def shuffled_list(path: Any = ".") -> list[str]:
    names = _list(path)
    ORDER.shuffle(names)
    return names


time.time = lambda: _clock() + DAYS * 86_400
datetime.datetime = AnotherDay  # type: ignore[misc]
os.scandir, os.listdir = shuffled_scan, shuffled_list  # type: ignore[assignment]
sys.path.insert(0, str(Path(__file__).parents[3]))

from publisher.projection.file_system import FileSystem  # noqa: E402
from publisher.releases.publish import publish  # noqa: E402
from publisher.releases.reveal import reveal  # noqa: E402
from publisher.releases.withdraw import withdraw  # noqa: E402
from publisher.releases.writer import Signing  # noqa: E402
from tests.factories import SampleSource, make_batch  # noqa: E402
from tests.factories.logged import OWNER  # noqa: E402
from tests.factories.snapshot import write_snapshot  # noqa: E402
from tests.integration.publisher.acts import HELD_OUT, NEXT, REASON, SCANNER, put  # noqa: E402

if __name__ == "__main__":
    target, signed = Path(sys.argv[1]), Signing(signer=OWNER)
    write_snapshot(target, [HELD_OUT])
    put(target, NEXT, FileSystem())
    more = [SampleSource.of(make_batch(f"batch-{n}", model_keys=("careful",))) for n in (4, 3)]
    publish(more, target, SCANNER, signing=signed)
    reveal(SampleSource.of(HELD_OUT), target, SCANNER, signing=signed)
    withdraw(["batch-3-0002", "batch-2"], REASON, target, SCANNER, signing=signed)
