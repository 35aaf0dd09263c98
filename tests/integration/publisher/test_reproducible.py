from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from publisher.verification.snapshot import verify
from tests.integration.publisher.acts import content

SCRIPT = Path(__file__).with_name("every_act.py")


def made(target: Path, days: int, order: int, umask: int, environment: dict[str, str]) -> dict[str, bytes]:
    """A snapshot made by every act in a process of its own."""
    target.parent.mkdir()
    subprocess.run(
        [sys.executable, "-W", "error", SCRIPT, target, str(days), str(order)],
        check=True,
        umask=umask,
        env={"PATH": os.environ["PATH"], **environment},
    )
    return content(target)


def test_the_same_acts_give_the_same_bytes_on_any_day_in_any_place_by_anyone(tmp_path: Path) -> None:
    here = {"TZ": "Pacific/Kiritimati", "LC_ALL": "C", "PYTHONHASHSEED": "1", "USER": "alice", "HOME": "/home/alice"}
    there = {
        "TZ": "America/St_Johns",
        "LC_ALL": "C.UTF-8",
        "LANG": "zh_CN.UTF-8",
        "PYTHONHASHSEED": "4000000000",
        "USER": "bob",
        "LOGNAME": "bob",
    }
    first, second = tmp_path / "first" / "showcase", tmp_path / "second" / "snapshot"
    ours = made(first, days=0, order=1, umask=0o022, environment=here)
    theirs = made(second, days=400, order=2, umask=0o077, environment=there)
    assert ours == theirs
    assert verify(first).differences == ()
    assert {release for release in ours if release.startswith("log/checkpoints/")} == {
        f"log/checkpoints/{number}" for number in range(1, 6)
    }
