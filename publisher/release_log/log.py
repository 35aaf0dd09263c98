"""A release log as a value: its entries, where each release ends, and the checkpoint of each."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, chain, islice

from publisher.release_log.checkpoint import Checkpoint
from publisher.release_log.entry import LogEntry, encoded, read_entry
from publisher.release_log.errors import EntryOrderError
from publisher.release_log.merkle import HASH_SIZE, Tree, leaf_hash
from publisher.release_log.note import Signer, VerifierKey
from publisher.release_log.sequence import EntryOrder
from publisher.release_log.tile import TILE_WIDTH, bundle, read_bundle

_ORIGIN_DIGITS = 16


@dataclass(frozen=True, kw_only=True, slots=True)
class ReleaseLog:
    """A log with one release at least.

    `bundles` holds the entries as they are written, 256 each, the last bundle what is left; `sizes` how many entries
    there were after each release; `checkpoints` the file of each; `keys` whoever signed one, in the order of signing.
    """

    origin: str
    bundles: tuple[bytes, ...]
    tree: Tree
    sizes: tuple[int, ...]
    checkpoints: tuple[bytes, ...]
    keys: tuple[VerifierKey, ...]

    @property
    def size(self) -> int:
        """How many entries there are."""
        return self.tree.size

    def entries(self) -> Iterator[LogEntry]:
        """Every entry, in order; at most 256 are in memory."""
        for index, data in enumerate(self.bundles):
            yield from map(read_entry, read_bundle(data, min(TILE_WIDTH, self.size - index * TILE_WIDTH)))

    def release_of(self, index: int) -> int:
        """The number of the release that brought the entry at an index."""
        return bisect_right(self.sizes, index) + 1

    def checkpoint(self, release: int) -> Checkpoint:
        """What the log held after a release, worked out from its entries."""
        size = self.sizes[release - 1]
        return Checkpoint(origin=self.origin, size=size, root=self.tree.head(size).root)


def unsigned_origin(first_leaf: bytes) -> str:
    """The origin of a log that began without a key, from the hash of its first entry."""
    return f"glassbench/{first_leaf.hex()[:_ORIGIN_DIGITS]}"


def extend(log: ReleaseLog | None, releases: Sequence[Sequence[LogEntry]], signer: Signer | None) -> ReleaseLog:
    """The log with more releases, each ending in its release entry and each with its checkpoint.

    More than one at once is for a log that begins beside a snapshot which holds some already. EntryOrderError where
    an entry can't stand where it would, MalformedError where one is too long.
    """
    _require_order(log, releases)
    bundles, leaves = _appended(log, chain.from_iterable(releases))
    tree = (log.tree if log else Tree()).extended(leaves)
    ends = islice(accumulate(map(len, releases), initial=log.size if log else 0), 1, None)
    grown = ReleaseLog(
        origin=log.origin if log else signer.name if signer else unsigned_origin(tree.levels[0][:HASH_SIZE]),
        bundles=bundles,
        tree=tree,
        sizes=(*(log.sizes if log else ()), *ends),
        checkpoints=log.checkpoints if log else (),
        keys=tuple(dict.fromkeys((*(log.keys if log else ()), *([signer.verifier] if signer else [])))),
    )
    made = (grown.checkpoint(number).data(signer) for number in range(len(grown.checkpoints) + 1, len(grown.sizes) + 1))
    return replace(grown, checkpoints=(*grown.checkpoints, *made))


def _require_order(log: ReleaseLog | None, releases: Sequence[Sequence[LogEntry]]) -> None:
    order = EntryOrder()
    for entry in log.entries() if log else ():
        order.take(entry)
    for release in releases:
        before = order.releases
        for position, entry in enumerate(release, start=1):
            fault = order.take(entry)
            if fault is not None:
                raise EntryOrderError(f"the log can't be extended: {fault}")
            if order.releases > before and position < len(release):
                raise EntryOrderError("the log can't be extended: entries behind the end of a release")
        if order.releases == before:
            raise EntryOrderError("the log can't be extended: a release without its end")


def _appended(log: ReleaseLog | None, entries: Iterable[LogEntry]) -> tuple[tuple[bytes, ...], list[bytes]]:
    """The bundles with more entries behind them, and the hashes of these; 256 entries are in memory as bytes."""
    bundles, leaves, waiting = list(log.bundles if log else ()), [], []
    if log and log.size % TILE_WIDTH:
        waiting = read_bundle(bundles.pop(), log.size % TILE_WIDTH)
    for entry in entries:
        waiting.append(encoded(entry))
        leaves.append(leaf_hash(waiting[-1]))
        if len(waiting) == TILE_WIDTH:
            bundles.append(bundle(waiting))
            waiting = []
    return (*bundles, *([bundle(waiting)] if waiting else ())), leaves
