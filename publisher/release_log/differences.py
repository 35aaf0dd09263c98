"""Whether the files of a log are those that its entries give, and whether the right keys signed them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet

from dataset.console import counted
from publisher.release_log.checkpoint import ReadCheckpoint, read_checkpoint
from publisher.release_log.errors import MalformedError
from publisher.release_log.files import CHECKPOINT, KEYS, LogFile, checkpoint_name, made_files
from publisher.release_log.log import ReleaseLog, unsigned_origin
from publisher.release_log.merkle import HASH_SIZE
from publisher.release_log.note import VerifierKey
from publisher.release_log.reading import LogReading, Read
from publisher.verification.difference import Difference, fault, short
from publisher.verification.files import in_log

EXPECTED = "the expected checkpoint"
"""The place of a difference with a checkpoint that the reader of a snapshot brought along."""


def signed_releases(log: ReleaseLog) -> tuple[int, ...]:
    """The numbers of the releases that carry signatures; whether these hold is for `log_differences` to say."""
    return tuple(number for number, data in enumerate(log.checkpoints, start=1) if read_checkpoint(data).signatures)


def holding_signers(checkpoint: ReadCheckpoint, keys: Sequence[VerifierKey]) -> tuple[VerifierKey, ...]:
    """The keys by which a checkpoint is signed: a line that names none of them proves nothing, and where one of them
    doesn't hold, none is believed."""
    try:
        return checkpoint.note.signers(keys)
    except MalformedError:
        return ()


def log_differences(
    reading: LogReading,
    read: Read,
    present: AbstractSet[str],
    *,
    keys: Sequence[VerifierKey] = (),
    expected_checkpoint: bytes | None = None,
) -> Iterator[Difference]:
    """What was found in reading, and where a file isn't what the entries give, a signature fails, or the log isn't one
    that the expected checkpoint (a signed note or its text) was made of.

    `present` holds the names of all files of the snapshot. `keys` are those that the reader trusts: one of them must
    have signed the latest release and every other but those before the first signature in a log whose origin says
    that it began unsigned. Without them the snapshot's own keys are looked at.
    """
    yield from reading.differences
    log = reading.log
    if log is None:
        if not reading.differences:
            if beside := sum(map(in_log, present)):
                yield fault(CHECKPOINT, f"missing: {counted(beside, 'file')} of a release log stand without it")
            if keys or expected_checkpoint is not None:
                yield fault(
                    CHECKPOINT, "missing: the snapshot has no release log that could be held to a key or checkpoint"
                )
        return
    yield from _file_differences(reading, log, read, present)
    if not reading.unsound:
        yield from _own_signature_differences(log) if log.keys else _keys_missing(reading, log)
        yield from _origin_differences(log)
        yield from _trusted_signature_differences(log, keys)
    if expected_checkpoint is not None:
        yield from _expected_differences(log, expected_checkpoint, keys or log.keys)


def _file_differences(
    reading: LogReading, log: ReleaseLog, read: Read, present: AbstractSet[str]
) -> Iterator[Difference]:
    told = {difference.place for difference in reading.differences}
    made: set[str] = set()
    for file in made_files(log):
        made.add(file.name)
        if file.name in told or file.release in reading.unsound:
            continue
        if file.name not in present:
            yield fault(file.name, "missing: the entries of the log give it")
            continue
        data = read(file.name)
        if data is not None and data != file.data:
            yield _unlike(file, data)
    yield from _strays(present, made | told)


def _strays(present: AbstractSet[str], known: set[str]) -> Iterator[Difference]:
    for name in sorted(present):
        if in_log(name) and name not in known:
            yield fault(name, "not a file that the entries of the log give")


def _unlike(file: LogFile, found: bytes) -> Difference:
    length = min(len(found), len(file.data))
    place = next((i for i in range(length) if found[i] != file.data[i]), length)
    where = f"hash {place // HASH_SIZE}" if file.hashes else f"byte {place}"
    return Difference(
        place=file.name,
        expected=f"{len(file.data)} bytes",
        observed=f"{len(found)} bytes",
        message=f"not what the entries of the log give, from {where} on",
    )


def _own_signature_differences(log: ReleaseLog) -> Iterator[Difference]:
    """Every signature must hold under the keys that the snapshot names, which must be those that signed."""
    signers: dict[VerifierKey, None] = {}
    for number, data in enumerate(log.checkpoints, start=1):
        note = read_checkpoint(data)
        try:
            found = note.note.signers(log.keys)
        except MalformedError as error:
            yield fault(checkpoint_name(number), error.message)
            return
        if note.signatures and not found:
            yield fault(checkpoint_name(number), f"signed, but by no key in {KEYS}")
        signers |= dict.fromkeys(found)
    if tuple(signers) != log.keys:
        yield fault(KEYS, "not the keys that signed, each once, in the order in which they first did")


def _keys_missing(reading: LogReading, log: ReleaseLog) -> Iterator[Difference]:
    told = any(difference.place == KEYS for difference in reading.differences)
    if not told and any(read_checkpoint(data).signatures for data in log.checkpoints):
        yield fault(KEYS, "missing: checkpoints are signed")


def _origin_differences(log: ReleaseLog) -> Iterator[Difference]:
    """The first release must say whose log this is: the key's that signed it, or the first entry's."""
    note = read_checkpoint(log.checkpoints[0])
    allowed = {key.name for key in holding_signers(note, log.keys)} if note.signatures else {_began_unsigned(log)}
    if not allowed:  # told of the signature
        return
    if log.origin not in allowed:
        yield Difference(
            place=checkpoint_name(1),
            expected=short(" or ".join(sorted(allowed))),
            observed=short(log.origin),
            message="the origin isn't the name of the key that signed first, nor made of the first entry",
        )


def _began_unsigned(log: ReleaseLog) -> str:
    return unsigned_origin(log.tree.node(0, 0))


def _trusted_signature_differences(log: ReleaseLog, keys: Sequence[VerifierKey]) -> Iterator[Difference]:
    if not keys:
        return
    notes = [read_checkpoint(data) for data in log.checkpoints]
    first = next((i for i, note in enumerate(notes) if note.signatures), len(notes) - 1)
    if log.origin != _began_unsigned(log):
        first = 0
    for number, note in enumerate(notes[first:], start=first + 1):
        yield from _untrusted(checkpoint_name(number), note, keys)


def _untrusted(place: str, note: ReadCheckpoint, keys: Sequence[VerifierKey]) -> Iterator[Difference]:
    try:
        found = note.note.signers(keys)
    except MalformedError as error:
        yield fault(place, error.message)
        return
    if not found:
        yield fault(place, "signed by none of the given keys" if note.signatures else "not signed")


def _expected_differences(log: ReleaseLog, data: bytes, keys: Sequence[VerifierKey]) -> Iterator[Difference]:
    try:
        expected = read_checkpoint(data)
    except MalformedError as error:
        yield fault(EXPECTED, error.message)
        return
    head = expected.checkpoint
    if expected.signatures and keys:
        yield from _untrusted(EXPECTED, expected, keys)
    if head.origin != log.origin:
        yield _expected_fault(log.origin, head.origin, "of another log: its origin is another")
    elif head.size > log.size:
        yield _expected_fault(str(log.size), str(head.size), "this log has fewer entries: some were taken from it")
    elif log.tree.head(head.size).root != head.root:
        found = log.tree.head(head.size).root.hex()
        yield _expected_fault(
            found, head.root.hex(), f"this log doesn't begin with the {head.size} entries it was made of"
        )


def _expected_fault(expected: str, observed: str, message: str) -> Difference:
    return Difference(place=EXPECTED, expected=short(expected), observed=short(observed), message=message)
