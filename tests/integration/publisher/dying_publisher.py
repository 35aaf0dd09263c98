"""Run by a test: performs an act in children that die at every step in turn, and checks what each leaves behind.

`python dying_publisher.py FOLDER ACT exchange|two-steps` prints the number of deaths that were survived.
"""

from __future__ import annotations

import os
import shutil
import sys
from itertools import product
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))

from publisher.projection.file_system import FileSystem
from publisher.verification.snapshot import verify
from tests.integration.publisher.acts import ACTS, Act, content
from tests.integration.publisher.faulty_files import DeadlyFiles, Moment

MOMENTS: tuple[Moment, ...] = ("before", "during")
Content = dict[str, bytes]


def die(act: Act, target: Path, at: int, moment: Moment, *, exchanges: bool) -> bool:
    """Whether a child that was to die at a step did; False where it came to its end."""
    child = os.fork()
    if child == 0:
        act.perform(target, DeadlyFiles(at=at, moment=moment, exchanges=exchanges))
        os._exit(0)
    return os.waitpid(child, 0)[1] != 0


def check(target: Path, old: Content, new: Content, *, exchanges: bool) -> None:
    """After a death: the old release or the new, to the byte; between two steps perhaps none, the old one beside it."""
    if target.exists():
        assert content(target) in (old, new)
    else:
        beside = [path for path in target.parent.iterdir() if path.name.startswith(".") and path.suffix == ".previous"]
        assert not old or (not exchanges and [content(path) for path in beside] == [old])


def survive(folder: Path, act: Act, *, exchanges: bool) -> int:
    """How many deaths left the old release or the new, and were made good by the next act."""
    before, after = folder / "before" / "showcase", folder / "after" / "showcase"
    act.prepare(before)
    act.prepare(after)
    files = DeadlyFiles(at=0, exchanges=exchanges)
    act.perform(after, files)
    old, new = content(before), content(after)
    for found in filter(Path.exists, (before, after)):
        assert verify(found).holds, verify(found).differences
    deaths = 0
    # after a step is before the next one, the last excepted
    for at, moment in [*product(range(1, files.count + 1), MOMENTS), (files.count, "after")]:
        target = folder / f"{at}-{moment}" / "showcase"
        target.parent.mkdir()
        if old:
            shutil.copytree(before, target)
        if die(act, target, at, moment, exchanges=exchanges):  # only a write has a middle
            deaths += 1
            check(target, old, new, exchanges=exchanges)
            act.perform(target, FileSystem())
            assert content(target) == new
            kept = target.with_name("showcase.previous")
            assert content(kept) == old
            assert set(target.parent.iterdir()) == ({target, kept} if old else {target})
        shutil.rmtree(target.parent)
    return deaths


if __name__ == "__main__":
    folder, which, how = sys.argv[1:]
    print(survive(Path(folder), ACTS[which], exchanges=how == "exchange"))
