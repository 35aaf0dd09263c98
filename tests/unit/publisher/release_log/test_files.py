"""The files of a log: which there are, and what is in them."""

from __future__ import annotations

import re

import pytest

from publisher.release_log.log import extend
from publisher.release_log.merkle import leaf_hash
from publisher.release_log.proof import read_consistency, read_inclusion
from publisher.release_log.tile import read_bundle
from tests.factories.release_logs import SIGNER, end, files_of, log_of, report, withdrawal

LOG = log_of(3, 2, 250)
FILES = files_of(LOG)


def test_a_small_log_has_exactly_these_files() -> None:
    assert sorted(files_of(log_of(1, 2))) == [
        *("log/checkpoint", "log/checkpoints/1", "log/checkpoints/2", "log/consistency/1"),
        *("log/inclusion/batch-1-0000", "log/inclusion/batch-2-0000", "log/inclusion/batch-2-0001", "log/key"),
        *("log/tile/0/000.p/3", "log/tile/0/000.p/7", "log/tile/entries/000.p/3", "log/tile/entries/000.p/7"),
    ]


def test_partial_tiles_of_every_release_stay_until_the_full_one_is_there() -> None:
    assert {"log/tile/0/000.p/5", "log/tile/0/000.p/9"} <= files_of(log_of(3, 2)).keys()
    assert sorted(name for name in FILES if "/tile/" in name) == [
        *("log/tile/0/000", "log/tile/0/001.p/5", "log/tile/1/000.p/1"),
        *("log/tile/entries/000", "log/tile/entries/001.p/5"),
    ]


def test_an_unsigned_log_has_no_keys_and_no_signature() -> None:
    files = files_of(log_of(2, signer=None))
    assert "log/key" not in files
    assert not any("—".encode() in data for data in files.values())


def test_every_name_is_safe_on_any_file_system() -> None:
    assert all(re.fullmatch(r"log(/[a-z0-9.-]{1,72})+", name) for name in FILES)


def test_every_run_has_a_proof_against_the_checkpoint_of_its_release() -> None:
    bundles = FILES["log/tile/entries/000"] + FILES["log/tile/entries/001.p/5"]
    entries = read_bundle(bundles, LOG.size)
    for release_number, batch, count in ((1, "batch-1", 3), (2, "batch-2", 2), (3, "batch-3", 250)):
        for i in range(count):
            proof = read_inclusion(FILES[f"log/inclusion/{batch}-{i:04}"])
            assert f'"run_id":"{batch}-{i:04}"'.encode() in entries[proof.index]
            assert proof.holds(leaf_hash(entries[proof.index]))
            assert proof.checkpoint.data() == FILES[f"log/checkpoints/{release_number}"]


def test_every_release_but_the_latest_has_a_proof_that_the_latest_continues_it() -> None:
    assert sorted(name for name in FILES if "/consistency/" in name) == ["log/consistency/1", "log/consistency/2"]
    for number in (1, 2):
        proof = read_consistency(FILES[f"log/consistency/{number}"])
        assert proof.old_size == LOG.sizes[number - 1]
        assert proof.holds(LOG.checkpoint(number).root)
        assert proof.checkpoint.data() == FILES["log/checkpoint"] == FILES["log/checkpoints/3"]


def test_a_withdrawn_run_keeps_its_proof() -> None:
    log = extend(log_of(2), [[withdrawal("batch-1", 0), report("batch-1", "new"), end(2)]], SIGNER)
    assert files_of(log)["log/inclusion/batch-1-0000"] == files_of(log_of(2))["log/inclusion/batch-1-0000"]


@pytest.mark.parametrize("name", sorted(name for name in FILES if "inclusion" not in name))
def test_each_file_comes_out_the_same_again(name: str) -> None:
    assert files_of(log_of(3, 2, 250))[name] == FILES[name]
