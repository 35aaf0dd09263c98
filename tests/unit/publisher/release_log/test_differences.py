"""What a verifier tells of a log that was changed, cut, signed by others, or isn't the one it should be."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

import pytest

from publisher.release_log.checkpoint import Checkpoint, read_checkpoint
from publisher.release_log.differences import holding_signers, log_differences, signed_releases
from publisher.release_log.log import ReleaseLog, extend
from publisher.release_log.merkle import leaf_hash
from publisher.release_log.note import Note, VerifierKey
from publisher.release_log.reading import read_log
from publisher.release_log.tile import read_bundle
from publisher.verification.difference import Difference
from tests.factories.release_logs import OTHER_SIGNER, SIGNER, files_of, log_of, release

LOG = log_of(3, 260, 2)
FILES = files_of(LOG)
KEY = SIGNER.verifier
OTHER = OTHER_SIGNER.verifier


def differences(
    files: dict[str, bytes], keys: Sequence[VerifierKey] = (), expected: bytes | None = None
) -> list[Difference]:
    reading = read_log(files.get)
    return list(log_differences(reading, files.get, files.keys(), keys=keys, expected_checkpoint=expected))


def places(files: dict[str, bytes], keys: Sequence[VerifierKey] = (), expected: bytes | None = None) -> list[str]:
    return [difference.place for difference in differences(files, keys, expected)]


def resigned(log: ReleaseLog, *signers: object) -> ReleaseLog:
    """A log whose checkpoints bear other signatures."""
    return replace(
        log,
        checkpoints=tuple(
            log.checkpoint(number).data(signer)  # type: ignore[arg-type]
            for number, signer in enumerate(signers, start=1)
        ),
    )


def test_an_untouched_log_has_no_difference() -> None:
    assert differences(FILES) == []
    assert differences(FILES, [OTHER, KEY]) == []
    assert differences(files_of(log_of(1, 2, signer=None))) == []


def test_every_changed_missing_or_added_file_is_named() -> None:
    proofs = sorted(name for name in FILES if "/inclusion/" in name)
    for name in sorted(FILES.keys() - set(proofs[2:-2])):
        data = FILES[name]
        changed = bytearray(data)
        changed[len(data) // 2] ^= 1
        assert name in places(FILES | {name: bytes(changed)}), name
        assert any(name in str(found) for found in differences(FILES | {name: data + b"\n"})), name
        without = {other: content for other, content in FILES.items() if other != name}
        assert name in places(without), name
    assert places(FILES | {"log/more": b"", "log/tile/0/000.p/9": b"", "runs/a.json": b""}) == [
        *("log/more", "log/tile/0/000.p/9")
    ]


def test_random_changes_of_one_byte_are_all_found() -> None:
    chance = random.Random(5)
    names = sorted(FILES)
    for _ in range(60):
        name = chance.choice(names)
        changed = bytearray(FILES[name])
        place = chance.randrange(len(changed))
        changed[place] = (changed[place] + chance.randrange(1, 256)) % 256
        assert differences(FILES | {name: bytes(changed)}), (name, place)


def test_a_changed_hash_in_a_tile_is_told_by_its_number() -> None:
    tile = bytearray(FILES["log/tile/0/000"])
    tile[32 * 17 + 5] ^= 1
    found = differences(FILES | {"log/tile/0/000": bytes(tile)})
    assert [found.message for found in found] == ["not what the entries of the log give, from hash 17 on"]


def with_another_hash(bundle: bytes) -> bytes:
    """A bundle in which the artifact hash of the first entry begins with another digit."""
    first = bundle.index(b'"artifact_hash":"') + len(b'"artifact_hash":"')
    return bundle[:first] + (b"1" if bundle[first : first + 1] == b"0" else b"0") + bundle[first + 1 :]


def test_a_changed_entry_is_named_where_the_hash_tiles_are_still_those_of_the_checkpoint() -> None:
    found = differences(FILES | {"log/tile/entries/000": with_another_hash(FILES["log/tile/entries/000"])})
    assert [(difference.place, difference.message) for difference in found] == [
        ("log/tile/entries/000", "entry 0, run batch-1-0000: not what the checkpoint was made of")
    ]


def test_an_entry_changed_with_its_tile_contradicts_every_checkpoint() -> None:
    changed = with_another_hash(FILES["log/tile/entries/000"])
    leaf = leaf_hash(read_bundle(changed, 256)[0])
    tile = leaf + FILES["log/tile/0/000"][32:]
    found = places(FILES | {"log/tile/entries/000": changed, "log/tile/0/000": tile})
    assert {"log/checkpoint", *(f"log/checkpoints/{number}" for number in (1, 2, 3))} <= set(found)


def test_a_log_that_lost_its_last_release_doesnt_hold_to_a_checkpoint_of_it() -> None:
    shorter = files_of(log_of(3, 260))
    assert differences(shorter, [KEY]) == []
    found = differences(shorter, [KEY], FILES["log/checkpoint"])
    assert [found.message for found in found] == ["this log has fewer entries: some were taken from it"]


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_log_holds_to_every_checkpoint_of_its_own_signed_or_bare(number: int) -> None:
    assert differences(FILES, [KEY], FILES[f"log/checkpoints/{number}"]) == []
    assert differences(FILES, [KEY], LOG.checkpoint(number).data(None)) == []


def test_a_log_holds_to_a_checkpoint_between_releases() -> None:
    between = Checkpoint(origin=LOG.origin, size=100, root=LOG.tree.head(100).root)
    assert differences(FILES, expected=between.data(None)) == []


@pytest.mark.parametrize(
    ("checkpoint", "words"),
    [
        (Checkpoint(origin=LOG.origin, size=5, root=bytes(32)).data(SIGNER), "doesn't begin with the 5 entries"),
        (Checkpoint(origin=LOG.origin, size=LOG.size + 1, root=bytes(32)).data(SIGNER), "fewer entries"),
        (Checkpoint(origin="example.org/other", size=5, root=LOG.checkpoint(1).root).data(SIGNER), "of another log"),
        (LOG.checkpoint(1).data(OTHER_SIGNER), "none of the given keys"),
        (LOG.checkpoints[0].replace(b"\n5\n", b"\n6\n"), "doesn't hold"),
        (b"\x00", "control character"),
        (b"", "newline"),
    ],
)
def test_another_expected_checkpoint_is_refused(checkpoint: bytes, words: str) -> None:
    found = differences(FILES, [KEY], checkpoint)
    assert {difference.place for difference in found} == {"the expected checkpoint"}
    assert any(words in difference.message for difference in found)


def test_a_snapshot_without_a_log_cant_be_held_to_a_key_or_checkpoint() -> None:
    assert differences({"index.json": b"{}"}) == []
    assert places({}, [KEY]) == ["log/checkpoint"]
    assert places({}, expected=FILES["log/checkpoint"]) == ["log/checkpoint"]
    (beside,) = differences({"log/key": b"", "log/more": b""})
    assert str(beside) == "log/checkpoint: missing: 2 files of a release log stand without it"


def test_signatures_of_another_key_are_refused_for_every_release() -> None:
    assert places(FILES, [OTHER]) == ["log/checkpoints/1", "log/checkpoints/2", "log/checkpoints/3"]


def test_keys_may_change_and_all_of_them_must_be_given() -> None:
    log = extend(log_of(1, 1), [release(3, "c", 1)], OTHER_SIGNER)
    files = files_of(log)
    assert differences(files) == []
    assert differences(files, [KEY, OTHER]) == []
    assert places(files, [OTHER]) == ["log/checkpoints/1", "log/checkpoints/2"]
    assert places(files, [KEY]) == ["log/checkpoints/3"]


def test_releases_before_the_first_signature_may_be_unsigned_where_the_origin_says_so() -> None:
    log = extend(log_of(1, 1, signer=None), [release(3, "c", 1)], SIGNER)
    assert differences(files_of(log), [KEY]) == []
    assert signed_releases(log) == (3,)


def test_signatures_stripped_from_the_beginning_or_the_end_are_missed() -> None:
    log = log_of(1, 1, 1)
    assert places(files_of(resigned(log, None, SIGNER, SIGNER)), [KEY]) == ["log/checkpoints/1", "log/checkpoints/1"]
    assert places(files_of(resigned(log, SIGNER, SIGNER, None)), [KEY]) == ["log/checkpoints/3"]
    later = extend(log_of(1, signer=None), [release(2, "b", 1), release(3, "c", 1)], SIGNER)
    assert places(files_of(resigned(later, None, SIGNER, None)), [KEY]) == ["log/checkpoints/3"]


def test_an_unsigned_log_isnt_what_a_key_asks_for() -> None:
    files = files_of(log_of(1, 1, signer=None))
    assert places(files, [KEY]) == ["log/checkpoints/2"]


def test_the_keys_of_the_snapshot_must_be_exactly_those_that_signed() -> None:
    more = f"{KEY}\n{OTHER}\n".encode()
    assert places(FILES | {"log/key": more}) == ["log/key"]
    none = {name: data for name, data in FILES.items() if name != "log/key"}
    assert places(none) == ["log/key"]
    assert "log/checkpoints/1" in places(FILES | {"log/key": f"{OTHER}\n".encode()})


def test_an_origin_of_ones_own_choice_is_refused() -> None:
    log = log_of(1, 1, signer=None)
    renamed = replace(log, origin="example.org/bench")
    files = files_of(resigned(renamed, None, None))
    assert places(files) == ["log/checkpoints/1"]


def test_a_signature_that_fails_is_found_without_any_key_from_the_reader() -> None:
    log = log_of(1, 1)
    text = log.checkpoint(2).text()
    wrong = Note(text=text, signatures=(SIGNER.sign("another text\n"),)).data()
    files = files_of(replace(log, checkpoints=(log.checkpoints[0], wrong)))
    found = differences(files)
    assert [difference.place for difference in found] == ["log/checkpoints/2"]
    assert "doesn't hold" in found[0].message


def with_junk(data: bytes, name: str) -> bytes:
    """A signed checkpoint with a line under it that anyone can write."""
    found = read_checkpoint(data)
    junk = replace(found.note.signatures[0], name=name)
    return replace(found, note=replace(found.note, signatures=(*found.note.signatures, junk))).data()


def test_a_line_that_anyone_could_write_under_a_checkpoint_names_no_signer() -> None:
    junk = with_junk(LOG.checkpoints[0], "example.com/famous")
    assert holding_signers(read_checkpoint(junk), LOG.keys) == (KEY,)
    assert holding_signers(read_checkpoint(junk), (OTHER,)) == ()
    damaged = read_checkpoint(junk.replace(LOG.origin.encode(), b"example.com/other", 1))
    assert holding_signers(damaged, LOG.keys) == ()


def test_a_line_that_anyone_could_write_gives_a_log_no_origin() -> None:
    log = replace(LOG, origin="example.com/famous")
    signed = resigned(log, *[SIGNER] * len(log.sizes))
    signed = replace(signed, checkpoints=tuple(with_junk(data, log.origin) for data in signed.checkpoints))
    assert "log/checkpoints/1" in places(files_of(signed))
