"""What `release list --from` tells of a directory that anyone may have written."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from publisher.release_log.note import Signature
from publisher.releases.errors import NoSnapshotError
from publisher.releases.history import history
from publisher.releases.outcome import released
from publisher.verification.files import LARGEST_FILE
from tests.factories import VARIANTS, make_batch
from tests.factories.logged import OWNER, write_logged_snapshot

BATCHES = [
    make_batch(batch_id, case_ids=("fund-nav",), model_keys=("careful",), variants=VARIANTS[:1])
    for batch_id in ("batch-1", "batch-2")
]
JUNK = str(Signature(name="example.com/famous", key_id="01020304", value=bytes(64))).encode()


@pytest.fixture
def snapshot(tmp_path: Path) -> Path:
    write_logged_snapshot(tmp_path / "mirror", BATCHES, signers=(OWNER, None))
    return tmp_path / "mirror"


def signers(snapshot: Path) -> list[tuple[str, ...]]:
    return [told.signed_by for told in history(snapshot)]


def test_who_signed_is_told_by_signatures_that_hold(snapshot: Path) -> None:
    assert signers(snapshot) == [(OWNER.name,), ()]
    assert released(snapshot, changed=False).signed_by == ()


def test_a_line_that_names_somebody_else_names_no_signer(snapshot: Path) -> None:
    first = snapshot / "log/checkpoints/1"
    first.write_bytes(first.read_bytes() + JUNK)
    for name in ("log/checkpoint", "log/checkpoints/2"):
        (snapshot / name).write_bytes((snapshot / name).read_bytes() + b"\n" + JUNK)
    assert signers(snapshot) == [(OWNER.name,), ()]
    assert released(snapshot, changed=False).signed_by == ()


def test_a_signature_that_does_not_hold_names_no_signer(snapshot: Path) -> None:
    second = snapshot / "log/checkpoints/2"
    stolen = (snapshot / "log/checkpoints/1").read_bytes().partition(b"\n\n")[2]
    second.write_bytes(second.read_bytes() + b"\n" + stolen)
    assert signers(snapshot) == [(OWNER.name,), ()]


@pytest.mark.parametrize("name", ["index.json", "reports/batch-1.json"])
@pytest.mark.parametrize("kind", ["pipe", "link", "huge"])
def test_what_is_no_file_of_a_snapshot_is_refused_and_not_waited_for(snapshot: Path, name: str, kind: str) -> None:
    file, kept = snapshot / name, snapshot.with_name("kept")
    file.rename(kept)
    if kind == "pipe":
        os.mkfifo(file)
    elif kind == "link":
        file.symlink_to(kept)
    else:
        file.touch()
        os.truncate(file, LARGEST_FILE + 1)
    with pytest.raises(NoSnapshotError, match=name):
        history(snapshot)


def test_a_log_that_can_not_be_read_is_not_told_as_unsigned(snapshot: Path) -> None:
    (snapshot / "log/checkpoint").unlink()
    os.mkfifo(snapshot / "log/checkpoint")
    with pytest.raises(NoSnapshotError, match="release log"):
        history(snapshot)
