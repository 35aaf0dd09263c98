from __future__ import annotations

import errno
import fcntl
import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from publisher.gates.refusal import RefusalError
from publisher.projection.errors import TargetError, WriteError
from publisher.projection.file_system import FileSystem
from publisher.releases.publish import publish
from publisher.releases.reveal import reveal
from publisher.releases.withdraw import withdraw
from publisher.verification.snapshot import verify
from tests.factories import VARIANTS, SampleBatch, SampleSource, WordScanner, make_batch
from tests.integration.publisher.acts import ACTS, HELD_OUT, NEXT, ONE, REASON, Act, content
from tests.integration.publisher.faulty_files import FailingFiles, Moment

HERE = Path(__file__).parent
BATCH, SECOND = ONE, NEXT
BOTH = ["showcase", "showcase.previous"]
slow = pytest.mark.slow


def put(target: Path, batch: SampleBatch, files: FileSystem | None = None) -> None:
    publish([SampleSource.of(batch)], target, WordScanner(), files=files)


def names(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


def fault_of(act: Act, target: Path, files: FileSystem) -> WriteError | None:
    try:
        act.perform(target, files)
    except WriteError as error:
        return error
    return None


@pytest.mark.parametrize(
    ("which", "exchanges"),
    [
        ("publish", True),
        ("withdraw", True),
        ("reveal", True),
        pytest.param("publish", False, marks=slow),
        pytest.param("withdraw", False, marks=slow),
        pytest.param("reveal", False, marks=slow),
    ],
)
@pytest.mark.parametrize("moment", ["before", pytest.param("during", marks=slow)])
def test_a_full_disk_at_any_step_leaves_the_old_snapshot_and_says_what_is_missing(
    tmp_path: Path, moment: Moment, which: str, exchanges: bool
) -> None:
    act, refused = ACTS[which], 0
    old, counted = tmp_path / "old" / "showcase", tmp_path / "counted" / "showcase"
    act.prepare(old)
    act.prepare(counted)
    counting = FailingFiles(number=0, at=0, exchanges=exchanges)
    act.perform(counted, counting)
    before, after = content(old), content(counted)
    for at in range(1, counting.count + 1):
        target = tmp_path / str(at) / "showcase"
        shutil.copytree(old, target)
        files = FailingFiles(number=errno.ENOSPC, at=at, moment=moment, exchanges=exchanges)
        error = fault_of(act, target, files)
        if error is not None:
            refused += 1
            assert error.code == "PUBLISH-DISK-001"
            assert "bytes, " in error.message
            assert str(target.parent) in error.message
            assert content(target) == before
            assert names(target.parent) == ["showcase"]
        # a step that only clears away may fail without harm
        assert content(target) in (before, after)
        act.perform(target, FileSystem())
        assert content(target) == after
        assert names(target.parent) == BOTH
    assert refused >= (3 if moment == "during" else 10)


@pytest.mark.parametrize("number", [errno.EIO, errno.EROFS, errno.EDQUOT, errno.EACCES])
def test_any_other_fault_of_the_disk_is_told_by_name(tmp_path: Path, number: int) -> None:
    target = tmp_path / "showcase"
    with pytest.raises(WriteError) as caught:
        put(target, BATCH, FailingFiles(number=number, at=4))
    assert caught.value.code == ("PUBLISH-DISK-001" if number == errno.EDQUOT else "PUBLISH-IO-001")
    assert list(tmp_path.iterdir()) == []


def test_a_refusal_that_can_not_be_written_is_raised_with_every_fault_all_the_same(tmp_path: Path) -> None:
    target = tmp_path / "showcase"
    bad = SampleSource.of(BATCH).with_row(0, data=b"{}")
    with pytest.raises(RefusalError) as caught:
        publish([bad], target, WordScanner(), files=FailingFiles(number=errno.ENOSPC, at=1, moment="during"))
    assert caught.value.refusal.faults
    assert caught.value.file is None
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("which", "how"),
    [
        ("publish", "exchange"),
        *(pytest.param(which, "exchange", marks=slow) for which in ("withdraw", "reveal")),
        *(pytest.param(which, "two-steps", marks=slow) for which in ("publish", "withdraw", "reveal")),
        pytest.param("publish-first", "exchange", marks=slow),
        pytest.param("publish-first", "two-steps", marks=slow),
    ],
)
def test_an_act_killed_at_any_step_leaves_the_old_release_or_the_new(tmp_path: Path, which: str, how: str) -> None:
    script = [sys.executable, str(HERE / "dying_publisher.py"), str(tmp_path), which, how]
    ended = subprocess.run(script, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert int(ended.stdout) > 35


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=140k", "tmpfs", str(disk)]
    try:
        mounted = subprocess.run(mount, capture_output=True, check=False).returncode == 0
    except OSError:
        mounted = False
    if not mounted:
        pytest.skip("a small file system can't be mounted here: that takes root")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


def test_a_disk_that_is_really_full_leaves_the_old_snapshot(small_disk: Path) -> None:
    target = small_disk / "showcase"
    put(target, BATCH)
    before = content(target)
    with pytest.raises(WriteError) as caught:
        put(target, make_batch("batch-2", repeats=3))
    assert caught.value.code == "PUBLISH-DISK-001"
    assert content(target) == before
    assert names(small_disk) == ["showcase"]
    put(target, SECOND)
    assert verify(target).holds


def test_what_a_dead_publisher_left_is_cleared_away(tmp_path: Path) -> None:
    target = tmp_path / "showcase"
    left = tmp_path / ".showcase.0123456789abcdef.staging"
    (left / "runs").mkdir(parents=True)
    (left / "runs" / "half.json").write_text("{")
    (tmp_path / ".showcase.lock").touch()
    kept = tmp_path / ".showcase.notes.staging"
    kept.touch()
    put(target, BATCH)
    assert sorted(path.name for path in tmp_path.iterdir()) == [kept.name, "showcase"]


def test_the_release_before_is_kept_beside_the_target_and_replaced_by_the_next(tmp_path: Path) -> None:
    target = tmp_path / "showcase"
    kept = tmp_path / "showcase.previous"
    put(target, BATCH)
    first = content(target)
    assert not kept.exists()
    put(target, SECOND)
    second = content(target)
    assert content(kept) == first
    put(target, make_batch("batch-3", case_ids=("fund-nav",), model_keys=("careful",), variants=VARIANTS[:1]))
    assert content(kept) == second
    assert verify(kept).holds
    assert names(tmp_path) == BOTH


@pytest.mark.parametrize("kind", ["file", "directory", "another snapshot", "link"])
def test_what_stands_where_the_release_before_is_kept_is_never_replaced(tmp_path: Path, kind: str) -> None:
    target, kept = tmp_path / "showcase", tmp_path / "showcase.previous"
    put(target, BATCH)
    if kind == "file":
        kept.write_text("mine")
    elif kind == "directory":
        kept.mkdir()
        (kept / "thesis.txt").write_text("mine")
    elif kind == "another snapshot":
        put(kept, make_batch("batch-9", case_ids=("fund-nav",), model_keys=("careful",), variants=VARIANTS[:1]))
    else:
        kept.symlink_to(target)
    before = names(tmp_path), content(tmp_path)
    with pytest.raises(TargetError) as caught:
        put(target, SECOND)
    assert caught.value.code == "PUBLISH-TARGET-005"
    assert str(kept) in caught.value.message
    assert (names(tmp_path), content(tmp_path)) == before


def test_a_second_publisher_waits_for_the_first(tmp_path: Path) -> None:
    target = tmp_path / "showcase"
    lock = tmp_path / ".showcase.lock"
    held = os.open(lock, os.O_RDWR | os.O_CREAT)
    fcntl.flock(held, fcntl.LOCK_EX)
    second = threading.Thread(target=put, args=(target, BATCH))
    second.start()
    second.join(timeout=0.3)
    assert second.is_alive()
    assert not target.exists()
    os.close(held)
    second.join()
    assert verify(target).holds
    assert not lock.exists()


def test_publishers_side_by_side_bring_every_batch(tmp_path: Path) -> None:
    target = tmp_path / "showcase"
    batches = [
        make_batch(f"batch-{n}", case_ids=("fund-nav",), model_keys=("careful",), variants=VARIANTS[:1])
        for n in range(6)
    ]
    threads = [threading.Thread(target=put, args=(target, batch)) for batch in batches]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = verify(target)
    assert found.holds
    assert len(found.batches) == 6
    assert names(tmp_path) == BOTH


def test_acts_of_every_kind_side_by_side_are_all_done_one_after_another(tmp_path: Path) -> None:
    target = tmp_path / "showcase"
    put(target, HELD_OUT)
    put(target, SECOND)
    third = make_batch("batch-3", case_ids=("fund-nav",), model_keys=("careful",), variants=VARIANTS[:1])
    acts: list[Callable[[], object]] = [
        lambda: reveal(SampleSource.of(HELD_OUT), target, WordScanner()),
        lambda: withdraw(["batch-2"], REASON, target, WordScanner()),
        lambda: put(target, third),
    ]
    threads = [threading.Thread(target=act) for act in acts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = verify(target)
    assert found.differences == ()
    assert (found.withdrawn, found.withheld, len(found.batches)) == (1, (), 3)
    assert len(json.loads((target / "index.json").read_bytes())["releases"]) == 5
    assert names(tmp_path) == BOTH


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_write_permission_is_refused_by_name(tmp_path: Path) -> None:
    folder = tmp_path / "shut"
    folder.mkdir(mode=0o555)
    with pytest.raises(TargetError) as caught:
        put(folder / "showcase", BATCH)
    assert caught.value.code == "PUBLISH-TARGET-003"


def test_without_hard_links_the_carried_files_are_copied_with_their_times(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_links(*args: object, **kwargs: object) -> None:
        raise OSError(errno.EPERM, "no links here")

    target = tmp_path / "showcase"
    put(target, BATCH)
    run = target / "runs" / "batch-1-0001.json"
    os.utime(run, ns=(1_000_000_000, 2_000_000_000))
    monkeypatch.setattr(os, "link", no_links)
    put(target, SECOND)
    assert verify(target).holds
    assert run.stat().st_mtime_ns == 2_000_000_000
    assert run.stat().st_nlink == 1
