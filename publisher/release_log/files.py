"""The files of a release log under `log/`, each made from its entries, sizes and checkpoints alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dataset.record import RunId
from publisher.release_log.entry import RunEntry
from publisher.release_log.log import ReleaseLog
from publisher.release_log.proof import consistency_text, inclusion_text
from publisher.release_log.tile import (
    TILE_WIDTH,
    bundle_path,
    bundle_start,
    hash_tile,
    hash_tile_path,
    tile_count,
    tiles_of,
)
from publisher.verification.files import LOG_FOLDER

CHECKPOINT = f"{LOG_FOLDER}/checkpoint"
KEYS = f"{LOG_FOLDER}/key"


def checkpoint_name(release: int) -> str:
    """Where the checkpoint of a release stands."""
    return f"{LOG_FOLDER}/checkpoints/{release}"


def inclusion_name(run_id: RunId) -> str:
    """Where the inclusion proof of a run stands."""
    return f"{LOG_FOLDER}/inclusion/{run_id}"


def consistency_name(release: int) -> str:
    """Where the proof stands that the latest log begins with that of a release."""
    return f"{LOG_FOLDER}/consistency/{release}"


def bundle_name(index: int, width: int) -> str:
    """Where a bundle of entries stands."""
    return f"{LOG_FOLDER}/{bundle_path(index, width)}"


def hash_tile_name(index: int, width: int, level: int = 0) -> str:
    """Where a tile of hashes stands, of leaf hashes where no level is given."""
    return f"{LOG_FOLDER}/{hash_tile_path(level, index, width)}"


@dataclass(frozen=True, kw_only=True, slots=True)
class LogFile:
    """A file of the log. `release` is the one whose checkpoint it holds, or None where it holds none; `hashes` says
    that it is a tile, of which every 32 bytes are a hash."""

    name: str
    data: bytes
    release: int | None = None
    hashes: bool = False


def log_files(log: ReleaseLog) -> Iterator[tuple[str, bytes]]:
    """Every file of the log by its name in the snapshot, one at a time. What isn't among them belongs there no more:
    a partial tile goes when the full one is there, and proofs to the latest checkpoint are made again."""
    return ((file.name, file.data) for file in made_files(log))


def made_files(log: ReleaseLog) -> Iterator[LogFile]:
    """Every file of the log with the release whose checkpoint it holds."""
    yield from _hash_tiles(log)
    yield from _bundles(log)
    for release, data in enumerate(log.checkpoints, start=1):
        yield LogFile(name=checkpoint_name(release), data=data, release=release)
    yield from _inclusion_proofs(log)
    yield from _consistency_proofs(log)
    if log.keys:
        yield LogFile(name=KEYS, data="".join(f"{key}\n" for key in log.keys).encode())
    yield LogFile(name=CHECKPOINT, data=log.checkpoints[-1], release=len(log.checkpoints))


def _hash_tiles(log: ReleaseLog) -> Iterator[LogFile]:
    for level, index, width in _standing_tiles(log):
        yield LogFile(
            name=hash_tile_name(index, width, level), data=hash_tile(log.tree, level, index, width), hashes=True
        )


def _bundles(log: ReleaseLog) -> Iterator[LogFile]:
    for level, index, width in _standing_tiles(log):
        if level == 0:
            data = log.bundles[index]
            yield LogFile(
                name=bundle_name(index, width), data=data if width == TILE_WIDTH else bundle_start(data, width)
            )


def _standing_tiles(log: ReleaseLog) -> Iterator[tuple[int, int, int]]:
    """The tiles of the latest tree, and of every older one the partial tiles that haven't been filled since."""
    yield from tiles_of(log.size)
    told = {tile for tile in tiles_of(log.size) if tile[2] != TILE_WIDTH}
    for size in log.sizes:
        for level in range(log.size.bit_length() // 8 + 1):
            full, width = tile_count(size, level)
            if width and full == tile_count(log.size, level)[0] and (level, full, width) not in told:
                told.add((level, full, width))
                yield level, full, width


def _inclusion_proofs(log: ReleaseLog) -> Iterator[LogFile]:
    release, head = 1, log.tree.head(log.sizes[0])
    for index, entry in enumerate(log.entries()):
        if index == log.sizes[release - 1]:
            release += 1
            head = log.tree.head(log.sizes[release - 1])
        if isinstance(entry, RunEntry):
            yield LogFile(
                name=inclusion_name(entry.run_id),
                data=inclusion_text(index, head.inclusion_proof(index), log.checkpoints[release - 1]),
                release=release,
            )


def _consistency_proofs(log: ReleaseLog) -> Iterator[LogFile]:
    head = log.tree.head(log.size)
    for release, size in enumerate(log.sizes[:-1], start=1):
        yield LogFile(
            name=consistency_name(release),
            data=consistency_text(size, head.consistency_proof(size), log.checkpoints[-1]),
            release=len(log.sizes),
        )
