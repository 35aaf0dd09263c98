"""Reading a release log out of files that anyone may have written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from publisher.release_log.checkpoint import Checkpoint, ReadCheckpoint, read_checkpoint
from publisher.release_log.entry import ReleaseEntry, entry_name, read_entry
from publisher.release_log.errors import MalformedError
from publisher.release_log.files import CHECKPOINT, KEYS, bundle_name, checkpoint_name, hash_tile_name
from publisher.release_log.log import ReleaseLog
from publisher.release_log.merkle import HASH_SIZE, Tree, leaf_hash
from publisher.release_log.note import VerifierKey, read_verifier_keys
from publisher.release_log.sequence import EntryOrder
from publisher.release_log.tile import TILE_WIDTH, read_bundle
from publisher.verification.difference import MOST_SHOWN, Difference, fault, short

Read = Callable[[str], bytes | None]
"""Gives the bytes of a file by its name in the snapshot, or None where there is none."""


@dataclass(frozen=True, kw_only=True, slots=True)
class LogReading:
    """A log as it was read. There is none where no checkpoint stands, or where its entries can't be read (then
    `differences` says why). `unsound` names the releases whose checkpoint isn't one of these entries; in the log
    stands an unsigned one in its place."""

    log: ReleaseLog | None = None
    differences: tuple[Difference, ...] = ()
    unsound: frozenset[int] = frozenset()


def read_log(read: Read) -> LogReading:
    """The log that the latest checkpoint is of; what the files hold never raises."""
    data = read(CHECKPOINT)
    if data is None:
        return LogReading()
    latest, faults = _checkpoint(CHECKPOINT, data)
    if latest is None:
        return LogReading(differences=tuple(faults))
    entries = _Entries()
    entries.read(read, latest.checkpoint.size)
    if entries.differences:
        return LogReading(differences=tuple(entries.differences))
    tree = Tree().extended(entries.leaves)
    changed = [] if _is_of(tree, latest.checkpoint) else _changed_entries(read, entries, latest.checkpoint)
    if changed:
        return LogReading(differences=tuple(changed))
    return _with_checkpoints(read, entries, tree, latest.checkpoint)


def _is_of(tree: Tree, checkpoint: Checkpoint) -> bool:
    return tree.size == checkpoint.size and tree.head(tree.size).root == checkpoint.root


def _changed_entries(read: Read, entries: _Entries, checkpoint: Checkpoint) -> list[Difference]:
    """The entries that aren't those that the checkpoint was made of, where the hash tiles still tell which were."""
    tiles = (
        read(hash_tile_name(start // TILE_WIDTH, min(TILE_WIDTH, checkpoint.size - start))) or b""
        for start in range(0, checkpoint.size, TILE_WIDTH)
    )
    data = b"".join(tiles)
    wanted = [data[i : i + HASH_SIZE] for i in range(0, len(data), HASH_SIZE)]
    if len(data) != checkpoint.size * HASH_SIZE or not _is_of(Tree().extended(wanted), checkpoint):
        return []
    found = [i for i, (leaf, other) in enumerate(zip(entries.leaves, wanted, strict=True)) if leaf != other]
    return [_changed(entries, index) for index in found[:MOST_SHOWN]]


def _changed(entries: _Entries, index: int) -> Difference:
    number, place = divmod(index, TILE_WIDTH)
    width = min(TILE_WIDTH, len(entries.leaves) - number * TILE_WIDTH)
    entry = read_entry(read_bundle(entries.bundles[number], width)[place])
    return fault(bundle_name(number, width), f"entry {index}, {entry_name(entry)}: not what the checkpoint was made of")


@dataclass(kw_only=True, slots=True)
class _Entries:
    """What the bundles hold, up to the first fault."""

    bundles: list[bytes] = field(default_factory=list)
    leaves: list[bytes] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    order: EntryOrder = field(default_factory=EntryOrder)
    differences: list[Difference] = field(default_factory=list)

    def read(self, read: Read, size: int) -> None:
        """Reads bundle after bundle, so that a size beyond what is there costs nothing."""
        for start in range(0, size, TILE_WIDTH):
            width = min(TILE_WIDTH, size - start)
            name = bundle_name(start // TILE_WIDTH, width)
            data = read(name)
            if data is None:
                self.differences.append(fault(name, f"missing: the checkpoint tells of {size} entries"))
            else:
                self._take(name, data, width)
            if self.differences:
                return
        if not self.sizes or self.sizes[-1] != size:
            self.differences.append(fault(CHECKPOINT, "the log doesn't end with the end of a release"))

    def _take(self, name: str, data: bytes, width: int) -> None:
        try:
            entries = read_bundle(data, width)
        except MalformedError as error:
            self.differences.append(fault(name, error.message))
            return
        for entry in entries:
            if not self._take_entry(name, entry):
                return
        self.bundles.append(data)

    def _take_entry(self, name: str, data: bytes) -> bool:
        try:
            entry = read_entry(data)
        except MalformedError as error:
            self.differences.append(fault(name, f"entry {len(self.leaves)}: {error.message}"))
            return False
        misplaced = self.order.take(entry)
        if misplaced is not None:
            self.differences.append(fault(name, f"entry {len(self.leaves)}: {misplaced}"))
            return False
        self.leaves.append(leaf_hash(data))
        if isinstance(entry, ReleaseEntry):
            self.sizes.append(len(self.leaves))
        return True


def _with_checkpoints(read: Read, entries: _Entries, tree: Tree, latest: Checkpoint) -> LogReading:
    keys, differences = _keys(read(KEYS))
    log = ReleaseLog(
        origin=latest.origin,
        bundles=tuple(entries.bundles),
        tree=tree,
        sizes=tuple(entries.sizes),
        checkpoints=(),
        keys=keys,
    )
    differences += _unlike(CHECKPOINT, latest.text(), log.checkpoint(len(log.sizes)))
    checkpoints, unsound = [], set()
    for release in range(1, len(log.sizes) + 1):
        name, wanted = checkpoint_name(release), log.checkpoint(release)
        found, faults = _checkpoint(name, read(name))
        faults += [] if found is None else _unlike(name, found.note.text, wanted)
        if found is None or faults:
            differences += faults
            unsound.add(release)
        checkpoints.append(wanted.data(None) if found is None or faults else found.data())
    return LogReading(
        log=replace(log, checkpoints=tuple(checkpoints)),
        differences=tuple(differences),
        unsound=frozenset(unsound),
    )


def _checkpoint(name: str, data: bytes | None) -> tuple[ReadCheckpoint | None, list[Difference]]:
    if data is None:
        return None, [fault(name, "missing: every release has its checkpoint")]
    try:
        return read_checkpoint(data), []
    except MalformedError as error:
        return None, [fault(name, error.message)]


def _unlike(name: str, text: str, wanted: Checkpoint) -> list[Difference]:
    if text == wanted.text():
        return []
    message = "not the origin, size and root that the entries give"
    return [Difference(place=name, expected=short(wanted.text()), observed=short(text), message=message)]


def _keys(data: bytes | None) -> tuple[tuple[VerifierKey, ...], list[Difference]]:
    if data is None:
        return (), []
    try:
        return read_verifier_keys(data), []
    except MalformedError as error:
        return (), [fault(KEYS, error.message)]
