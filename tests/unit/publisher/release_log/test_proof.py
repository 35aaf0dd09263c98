"""Proofs as text: written, read back, held to roots, refused where they are malformed."""

from __future__ import annotations

import pytest

from publisher.release_log.errors import MalformedError
from publisher.release_log.merkle import leaf_hash
from publisher.release_log.proof import consistency_text, inclusion_text, read_consistency, read_inclusion
from tests.factories.release_logs import files_of, log_of

LOG = log_of(3, 2)
FILES = files_of(LOG)
INCLUSION = FILES["log/inclusion/batch-2-0001"]
CONSISTENCY = FILES["log/consistency/1"]
HASH = "CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I="


def test_an_inclusion_proof_reads_back_and_holds_for_its_entry_only() -> None:
    proof = read_inclusion(INCLUSION)
    entries = [entry.canonical for entry in LOG.entries()]
    assert [proof.holds(leaf_hash(entry)) for entry in entries] == [i == proof.index for i in range(len(entries))]
    assert inclusion_text(proof.index, proof.hashes, proof.checkpoint.data()) == INCLUSION


def test_a_consistency_proof_reads_back_and_holds_for_its_root_only() -> None:
    proof = read_consistency(CONSISTENCY)
    assert proof.holds(LOG.checkpoint(1).root)
    assert not proof.holds(LOG.checkpoint(2).root)
    assert consistency_text(proof.old_size, proof.hashes, proof.checkpoint.data()) == CONSISTENCY


def test_extra_data_is_passed_over() -> None:
    assert read_inclusion(INCLUSION.replace(b"index", b"extra AAAA\nindex")) == read_inclusion(INCLUSION)


@pytest.mark.parametrize(
    ("defect", "old", "new"),
    [
        ("another version", b"proof@v1", b"proof@v2"),
        ("no index", b"index 6\n", b""),
        ("leading zero", b"index 6", b"index 06"),
        ("huge index", b"index 6", b"index " + b"9" * 30),
        ("extra that isn't base64", b"index", b"extra AAA\nindex"),
        ("CRLF", b"\n", b"\r\n"),
        ("NUL", b"index", b"\x00index"),
        ("a line that is no hash", b"index 6\n", b"index 6\nAAAA\n"),
        ("64 hashes", b"index 6\n", b"index 6\n" + f"{HASH}\n".encode() * 64),
        ("no checkpoint", INCLUSION[INCLUSION.index(b"\n\n") :], b"\n"),
        ("a checkpoint cut short", INCLUSION[-30:], b""),
        ("bytes behind the end", INCLUSION[-5:], INCLUSION[-5:] + b"x"),
    ],
)
def test_a_malformed_inclusion_proof_is_refused(defect: str, old: bytes, new: bytes) -> None:
    assert old in INCLUSION
    with pytest.raises(MalformedError):
        read_inclusion(INCLUSION.replace(old, new))


@pytest.mark.parametrize(
    ("defect", "old", "new"),
    [
        ("no old size", b"old 5\n", b""),
        ("another word", b"old 5", b"new 5"),
        ("leading zero", b"old 5", b"old 05"),
        ("a line that is no hash", b"old 5\n", b"old 5\nAAAA\n"),
        ("64 hashes", b"old 5\n", b"old 5\n" + f"{HASH}\n".encode() * 64),
        ("a checkpoint cut short", CONSISTENCY[-30:], b""),
    ],
)
def test_a_malformed_consistency_proof_is_refused(defect: str, old: bytes, new: bytes) -> None:
    assert old in CONSISTENCY
    with pytest.raises(MalformedError):
        read_consistency(CONSISTENCY.replace(old, new))
