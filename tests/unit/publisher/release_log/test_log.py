"""Logs as values: they grow, and what was there stays."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from publisher.release_log.checkpoint import read_checkpoint
from publisher.release_log.errors import EntryOrderError
from publisher.release_log.log import extend
from publisher.release_log.merkle import leaf_hash
from tests.factories.release_logs import OTHER_SIGNER, SIGNER, end, files_of, log_of, release, run


def test_releases_made_one_by_one_or_at_once_give_the_same_log() -> None:
    releases = [release(1, "a", 300), release(2, "b", 1), release(3, "c", 260)]
    grown = None
    for entries in releases:
        grown = extend(grown, [entries], SIGNER)
    assert grown == extend(None, releases, SIGNER)


def test_entries_sizes_and_releases_are_those_that_were_given() -> None:
    releases = [release(1, "a", 254), release(2, "b", 3)]
    log = extend(None, releases, None)
    assert list(log.entries()) == [*releases[0], *releases[1]]
    assert log.sizes == (256, 261)
    assert [log.release_of(index) for index in (0, 255, 256, 260)] == [1, 1, 2, 2]


def test_a_signed_log_bears_the_name_of_its_key_and_keeps_it_when_the_key_changes() -> None:
    log = extend(log_of(1, signer=SIGNER), [release(2, "b", 1)], OTHER_SIGNER)
    assert log.origin == "example.org/bench"
    assert log.keys == (SIGNER.verifier, OTHER_SIGNER.verifier)
    last = read_checkpoint(log.checkpoints[1])
    assert last.checkpoint.origin == log.origin
    assert last.note.signers([OTHER_SIGNER.verifier]) == (OTHER_SIGNER.verifier,)


def test_an_unsigned_log_is_named_for_its_first_entry_and_may_be_signed_later() -> None:
    log = log_of(1, signer=None)
    first = leaf_hash(run("batch-1", 0).canonical).hex()
    assert log.origin == f"glassbench/{first[:16]}"
    assert log.keys == ()
    signed = extend(log, [release(2, "b", 1)], SIGNER)
    assert signed.origin == log.origin
    assert signed.checkpoints[0] == log.checkpoints[0]
    assert signed.keys == (SIGNER.verifier,)


@pytest.mark.parametrize(
    ("releases", "words"),
    [
        ([release(2, "b", 1)], "where release 1 ends"),
        ([release(1, "b", 1)[:-1]], "without its end"),
        ([[]], "without its end"),
        ([[*release(1, "b", 1), *release(2, "c", 1)]], "behind the end"),
        ([[*release(1, "b", 1), end(2)]], "behind the end"),
        ([[run("b", 1), end(1)]], "before their report"),
    ],
)
def test_a_log_isnt_extended_by_what_cant_follow(releases: list[list[object]], words: str) -> None:
    with pytest.raises(EntryOrderError, match=words):
        extend(None, releases, None)  # type: ignore[arg-type]


def test_a_run_of_an_earlier_release_isnt_added_again() -> None:
    with pytest.raises(EntryOrderError, match="already"):
        extend(log_of(2), [release(2, "batch-1", 1)], SIGNER)


@given(st.lists(st.integers(0, 300), min_size=1, max_size=4))
def test_what_a_release_wrote_for_good_stays_as_it_was(counts: list[int]) -> None:
    before, after = files_of(log_of(*counts)), files_of(log_of(*counts, 5))
    for name, data in before.items():
        if name.startswith("log/tile/") and ".p/" in name:
            assert after.get(name, data) == data
        elif name != "log/checkpoint" and not name.startswith("log/consistency/"):
            assert after[name] == data
