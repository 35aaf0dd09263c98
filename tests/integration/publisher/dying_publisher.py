"""Run by a test: publishes in children that die at every step in turn, and checks what each leaves behind.

`python dying_publisher.py FOLDER first|next exchange|two-steps` prints the number of deaths that were survived.
"""

from __future__ import annotations

import os
import shutil
import sys
from itertools import product
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))

from publisher.projection.file_system import FileSystem
from publisher.release import publish
from publisher.verification.snapshot import verify
from tests.factories import VARIANTS, SampleSource, WordScanner, make_batch
from tests.integration.publisher.faulty_files import DeadlyFiles, Moment

SMALL = {"case_ids": ("fund-nav", "order-history"), "model_keys": ("careful",), "variants": VARIANTS[:1]}
OLD = SampleSource.of(make_batch("batch-1", **SMALL))  # type: ignore[arg-type]
NEW = SampleSource.of(make_batch("batch-2", **SMALL))  # type: ignore[arg-type]
MOMENTS: tuple[Moment, ...] = ("before", "during")


def put(target: Path, source: SampleSource, files: FileSystem) -> None:
    publish([source], target, WordScanner(), files=files)


def die(target: Path, at: int, moment: Moment, *, exchanges: bool) -> bool:
    """Whether a child that was to die at a step did; False where it came to its end."""
    child = os.fork()
    if child == 0:
        put(target, NEW, DeadlyFiles(at=at, moment=moment, exchanges=exchanges))
        os._exit(0)
    return os.waitpid(child, 0)[1] != 0


def check(target: Path, *, carried: bool, exchanges: bool) -> None:
    """After a death: the old snapshot or the new, whole; between two steps perhaps none, with the old one beside it."""
    if target.exists():
        found = verify(target)
        assert found.holds, found.differences
        assert found.batches in ((("batch-1",), ("batch-1", "batch-2")) if carried else (("batch-2",),))
    else:
        beside = [path for path in target.parent.iterdir() if path.suffix == ".previous"]
        assert not carried or (not exchanges and len(beside) == 1 and verify(beside[0]).holds)


def steps(folder: Path, *, carried: bool, exchanges: bool) -> int:
    """How many things a publish does on disk."""
    target = folder / "counted" / "showcase"
    target.parent.mkdir()
    if carried:
        put(target, OLD, FileSystem())
    files = DeadlyFiles(at=0, exchanges=exchanges)
    put(target, NEW, files)
    return files.count


def survive(folder: Path, *, carried: bool, exchanges: bool) -> int:
    deaths = 0
    last = steps(folder, carried=carried, exchanges=exchanges)
    old = folder / "old" / "showcase"
    old.parent.mkdir()
    put(old, OLD, FileSystem())
    # after a step is before the next one, the last excepted
    for at, moment in [*product(range(1, last + 1), MOMENTS), (last, "after")]:
        target = folder / f"{at}-{moment}" / "showcase"
        target.parent.mkdir()
        if carried:
            shutil.copytree(old, target)
        if not die(target, at, moment, exchanges=exchanges):
            continue  # only a write has a middle: the other steps let the child live
        deaths += 1
        check(target, carried=carried, exchanges=exchanges)
        put(target, NEW, FileSystem())
        assert verify(target).holds
        assert verify(target).batches == (("batch-1", "batch-2") if carried else ("batch-2",))
        assert [path.name for path in target.parent.iterdir()] == ["showcase"]
    return deaths


if __name__ == "__main__":
    folder, which, how = sys.argv[1:]
    print(survive(Path(folder), carried=which == "next", exchanges=how == "exchange"))
