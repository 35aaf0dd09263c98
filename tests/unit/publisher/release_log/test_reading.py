"""Reading logs that anyone may have written: what they hold, or why not; never an exception."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from publisher.release_log.checkpoint import Checkpoint
from publisher.release_log.merkle import Tree, leaf_hash
from publisher.release_log.reading import LogReading, read_log
from publisher.release_log.tile import bundle
from tests.factories.release_logs import SIGNER, files_of, log_of, release

LOG = log_of(3, 260, 2)
FILES = files_of(LOG)


def reading_of(files: dict[str, bytes]) -> LogReading:
    return read_log(files.get)


def faults(files: dict[str, bytes]) -> list[str]:
    return [str(difference) for difference in reading_of(files).differences]


def small(entries: list[bytes], size: int | None = None) -> dict[str, bytes]:
    """The files that reading begins with, of a log with these entries."""
    tree = Tree().extended(map(leaf_hash, entries))
    root = tree.head(len(entries)).root
    checkpoint = Checkpoint(origin="o", size=len(entries) if size is None else size, root=root).data(SIGNER)
    return {"log/checkpoint": checkpoint, f"log/tile/entries/000.p/{len(entries)}": bundle(entries)}


@pytest.mark.parametrize("signer", [SIGNER, None])
def test_a_log_reads_back_from_its_files(signer: object) -> None:
    log = log_of(3, 260, 2, signer=SIGNER if signer else None)
    assert reading_of(files_of(log)) == LogReading(log=log)


def test_no_checkpoint_is_no_log() -> None:
    assert reading_of({}) == LogReading()


def test_a_size_beyond_the_entries_is_told_without_looking_for_all_of_them() -> None:
    asked: list[str] = []
    entries = [entry.canonical for entry in release(1, "a", 254)]
    files = small(entries, size=2**63 - 1) | {"log/tile/entries/000": bundle(entries)}

    def read(name: str) -> bytes | None:
        asked.append(name)
        return files.get(name)

    found = read_log(read)
    assert found.log is None
    assert [difference.place for difference in found.differences] == ["log/tile/entries/001"]
    assert asked == ["log/checkpoint", "log/tile/entries/000", "log/tile/entries/001"]


@pytest.mark.parametrize("size", [0, 3, 4])
def test_a_size_that_isnt_the_end_of_a_release_gives_no_log(size: int) -> None:
    entries = [entry.canonical for entry in release(1, "a", 3)]
    files = small(entries, size=size) | {f"log/tile/entries/000.p/{size}": bundle(entries[:size])}
    assert reading_of(files).log is None
    assert faults(files)


@pytest.mark.parametrize(
    ("defect", "entry", "words"),
    [
        ("no JSON", b"\xff", "entry 1"),
        ("another form", b'{"kind": "report"}', "entry 1"),
        ("out of order", release(1, "a", 1)[2].canonical, "entry 1: release 1: follows runs"),
        ("again", release(1, "a", 1)[0].canonical, "entry 1: run a-0000: its run stands"),
    ],
)
def test_an_entry_that_cant_stand_there_gives_no_log(defect: str, entry: bytes, words: str) -> None:
    entries = [found.canonical for found in release(1, "a", 1)]
    files = small([entries[0], entry, *entries[1:]])
    assert reading_of(files).log is None
    assert words in faults(files)[0]


@pytest.mark.parametrize("release_number", [1, 2, 3])
def test_a_checkpoint_of_other_entries_is_named_and_stood_in_for_by_an_unsigned_one(release_number: int) -> None:
    name = f"log/checkpoints/{release_number}"
    other = Checkpoint(origin=LOG.origin, size=LOG.sizes[release_number - 1], root=bytes(32)).data(SIGNER)
    found = reading_of(FILES | {name: other})
    assert [difference.place for difference in found.differences] == [name]
    assert found.unsound == {release_number}
    assert found.log is not None
    assert found.log.checkpoints[release_number - 1] == LOG.checkpoint(release_number).data(None)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("log/checkpoint", FILES["log/checkpoint"].replace(b"jmSP", b"jmSQ")),
        ("log/checkpoint", b"\x00"),
        ("log/checkpoints/1", b""),
        ("log/checkpoints/2", FILES["log/checkpoints/1"]),
        ("log/key", b"nobody\n"),
        ("log/tile/entries/000", FILES["log/tile/entries/000"][:-1]),
        ("log/tile/entries/000", FILES["log/tile/entries/000"] + b"\x00"),
        ("log/tile/entries/001.p/15", b""),
    ],
)
def test_a_damaged_file_is_named(name: str, data: bytes) -> None:
    assert name in FILES
    assert any(place.startswith(f"{name}:") for place in faults(FILES | {name: data}))


@given(
    st.binary(max_size=200), st.sampled_from(["log/checkpoint", "log/checkpoints/2", "log/key", "log/tile/entries/000"])
)
def test_no_bytes_raise(data: bytes, name: str) -> None:
    assert faults(FILES | {name: data})
    reading_of(FILES | {name: FILES[name] + data})
    assert faults(FILES | {name: FILES[name][: -1 - len(data)]})
