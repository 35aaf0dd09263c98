"""Files of a snapshot are read from the directory that was listed, and nothing but regular files of a sane size."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any

import pytest

from publisher.verification.difference import Difference
from publisher.verification.files import LARGEST_FILE, Files, read_file
from publisher.verification.snapshot import SnapshotCheck, verify
from tests.factories import VARIANTS, make_batch
from tests.factories.logged import OWNER, write_logged_snapshot

BATCHES = [
    make_batch(batch_id, case_ids=("fund-nav",), model_keys=("careful",), variants=VARIANTS[:1])
    for batch_id in ("batch-1", "batch-2")
]


@pytest.fixture
def snapshot(tmp_path: Path) -> Path:
    write_logged_snapshot(tmp_path / "target", BATCHES[:1], signer=OWNER)
    return tmp_path / "target"


def swap(target: Path) -> None:
    """Another release takes the place of the one that is there, which is deleted."""
    fresh = target.with_name("fresh")
    write_logged_snapshot(fresh, BATCHES, signer=OWNER)
    target.rename(target.with_name("previous"))
    fresh.rename(target)


class Here(Executor):
    """A pool that works at once, in this process, after something happened."""

    def __init__(self, first: Any) -> None:
        self._first = first

    def submit(self, call: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        self._first()
        self._first = lambda: None
        done: Future[Any] = Future()
        done.set_result(call(*args, **kwargs))
        return done


def messages(found: Sequence[Difference], place: str) -> list[str]:
    return [difference.message for difference in found if difference.place == place]


def test_a_release_that_is_swapped_in_while_it_is_verified_changes_nothing(snapshot: Path) -> None:
    files = Files(snapshot)
    swap(snapshot)
    found = SnapshotCheck(files).run().verification
    assert (found.differences, found.batches) == ((), ("batch-1",))
    assert verify(snapshot).batches == ("batch-1", "batch-2")


def test_a_worker_that_meets_the_release_that_was_swapped_in_is_not_believed(snapshot: Path) -> None:
    files = Files(snapshot)
    found = SnapshotCheck(files, pool=Here(lambda: swap(snapshot))).run().verification
    assert (found.differences, found.batches) == ((), ("batch-1",))
    assert found.runs == len(BATCHES[0].artifacts)


def test_what_was_listed_and_is_a_link_or_a_pipe_by_now_is_not_read(snapshot: Path, tmp_path: Path) -> None:
    files = Files(snapshot)
    (tmp_path / "secret").write_bytes(b"secret")
    for name, make in (
        ("index.json", lambda path: path.symlink_to(tmp_path / "secret")),
        ("log/checkpoint", os.mkfifo),
    ):
        (snapshot / name).unlink()
        make(snapshot / name)
        assert files.find(name) is None


def test_one_file_is_read_only_where_it_is_a_regular_one(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "pipe")
    for name in ("pipe", "link", "nothing"):
        with pytest.raises(OSError, match=r".+"):
            read_file(tmp_path / name)
    with pytest.raises(OSError, match="not a regular file"):
        read_file(Path("/dev/zero"))


def test_a_file_that_has_more_bytes_than_it_tells_is_read_to_its_end() -> None:
    grown = Path("/proc/version")
    if not grown.is_file():
        pytest.skip("no file here that tells of no bytes and has some")
    assert grown.stat().st_size == 0
    assert read_file(grown) == grown.read_bytes()
    with pytest.raises(OSError, match="more than any such file has"):
        read_file(grown, largest=3)


@pytest.mark.parametrize("pattern", ["index.json", "reports/*.json", "log/checkpoint", "log/tile/entries/*/*"])
def test_a_file_that_is_too_large_is_told_as_that_and_not_as_missing(snapshot: Path, pattern: str) -> None:
    (file,) = snapshot.glob(pattern)
    os.truncate(file, LARGEST_FILE + 1)
    (message,) = messages(verify(snapshot).differences, str(file.relative_to(snapshot)))
    assert message.endswith(f"{LARGEST_FILE + 1:,} bytes, more than any such file has")


def test_a_checkpoint_that_is_a_pipe_is_told_once_and_not_by_every_file_of_its_log(snapshot: Path) -> None:
    (snapshot / "log/checkpoint").unlink()
    os.mkfifo(snapshot / "log/checkpoint")
    found = verify(snapshot).differences
    assert [(difference.place, difference.message) for difference in found] == [
        ("log/checkpoint", "not a regular file"),
        ("index.json#/log", "names a release log, and there is none"),
    ]


def test_a_directory_that_is_gone_or_a_link_holds_nothing(snapshot: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(snapshot)
    assert Files(tmp_path / "link").present == set()
    shutil.rmtree(snapshot)
    assert (Files(snapshot).present, Files(snapshot).identity) == (set(), None)


def test_a_listing_gives_its_descriptor_back(snapshot: Path) -> None:
    listed = Path("/proc/self/fd")
    if not listed.is_dir():
        pytest.skip("needs a system that lists open descriptors")
    before = len(list(listed.iterdir()))
    for _ in range(50):
        Files(snapshot)
    assert len(list(listed.iterdir())) <= before + 1


def test_files_that_were_closed_are_there_no_more(snapshot: Path) -> None:
    files = Files(snapshot)
    files.close()
    files.close()
    assert (files.find("index.json"), files.identity) == (None, None)
