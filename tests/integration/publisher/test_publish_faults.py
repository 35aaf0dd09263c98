from __future__ import annotations

import errno
import fcntl
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from publisher.gates.refusal import RefusalError
from publisher.projection.errors import TargetError, WriteError
from publisher.projection.file_system import FileSystem
from publisher.release import publish
from publisher.verification.snapshot import verify
from tests.factories import VARIANTS, SampleBatch, SampleSource, WordScanner, make_batch
from tests.integration.publisher.faulty_files import FailingFiles, Moment

HERE = Path(__file__).parent
BATCH = make_batch(case_ids=("fund-nav",), model_keys=("careful",), variants=VARIANTS[:1])
SECOND = make_batch("batch-2", case_ids=("fund-nav",), model_keys=("careful",), variants=VARIANTS[:1])


def put(target: Path, batch: SampleBatch, files: FileSystem | None = None) -> None:
    publish([SampleSource.of(batch)], target, WordScanner(), files=files)


def content(directory: Path) -> dict[str, bytes]:
    return {str(p.relative_to(directory)): p.read_bytes() for p in directory.rglob("*") if p.is_file()}


def steps_of_a_publish(tmp_path: Path, *, exchanges: bool) -> int:
    files = FailingFiles(number=0, at=0, exchanges=exchanges)
    target = tmp_path / "counted" / "showcase"
    target.parent.mkdir()
    put(target, BATCH)
    put(target, SECOND, files)
    return files.count


def fault_of(target: Path, files: FileSystem) -> WriteError | None:
    try:
        put(target, SECOND, files)
    except WriteError as error:
        return error
    return None


@pytest.mark.parametrize("exchanges", [True, pytest.param(False, marks=pytest.mark.slow)])
@pytest.mark.parametrize("moment", ["before", "during"])
def test_a_full_disk_at_any_step_leaves_the_old_snapshot_and_says_what_is_missing(
    tmp_path: Path, moment: Moment, exchanges: bool
) -> None:
    refused = 0
    old = tmp_path / "old" / "showcase"
    old.parent.mkdir()
    put(old, BATCH)
    before = content(old)
    for at in range(1, steps_of_a_publish(tmp_path, exchanges=exchanges) + 1):
        target = tmp_path / str(at) / "showcase"
        shutil.copytree(old, target)
        error = fault_of(target, FailingFiles(number=errno.ENOSPC, at=at, moment=moment, exchanges=exchanges))
        if error is not None:
            refused += 1
            assert error.code == "PUBLISH-DISK-001"
            assert "bytes, " in error.message
            assert str(target.parent) in error.message
            assert content(target) == before
            assert [path.name for path in target.parent.iterdir()] == ["showcase"]
        # a step that only clears away may fail without harm
        assert verify(target).holds
        put(target, SECOND)
        assert verify(target).batches == ("batch-1", "batch-2")
        assert [path.name for path in target.parent.iterdir()] == ["showcase"]
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
        ("next", "exchange"),
        pytest.param("next", "two-steps", marks=pytest.mark.slow),
        pytest.param("first", "exchange", marks=pytest.mark.slow),
        pytest.param("first", "two-steps", marks=pytest.mark.slow),
    ],
)
def test_a_publisher_killed_at_any_step_leaves_the_old_snapshot_or_the_new(
    tmp_path: Path, which: str, how: str
) -> None:
    script = [sys.executable, str(HERE / "dying_publisher.py"), str(tmp_path), which, how]
    ended = subprocess.run(script, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert int(ended.stdout) > 15


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
    assert [path.name for path in small_disk.iterdir()] == ["showcase"]
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
    assert [path.name for path in tmp_path.iterdir()] == ["showcase"]


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
