"""What every export is: a function from what a snapshot says to files, with no clock, no chance and no other input."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from dataset.canonical import sha256_hex
from publisher.exports.address import SiteAddress
from publisher.rendering.boards.board import Board, boards
from publisher.rendering.snapshot.snapshot import Snapshot


@dataclass(frozen=True, kw_only=True, slots=True)
class ExportFile:
    """One file of an export. `title` says what it holds, in words of our own."""

    name: str
    title: str
    media_type: str
    data: bytes

    @property
    def sha256(self) -> str:
        """sha256 of the bytes, in hexadecimal."""
        return sha256_hex(self.data)


@dataclass(frozen=True, kw_only=True)
class ExportSource:
    """What exports are made from. `address` is where the site will stand, where that is known; `ranked` are the tables
    of the leaderboard, where they were worked out already."""

    snapshot: Snapshot
    address: SiteAddress | None = None
    ranked: Callable[[], Sequence[Board]] | None = None

    @cached_property
    def boards(self) -> Sequence[Board]:
        """The tables of the leaderboard."""
        return boards(self.snapshot.batches) if self.ranked is None else self.ranked()

    @property
    def release(self) -> int:
        """The number of the latest release."""
        return len(self.snapshot.index.releases)


Export = Callable[[ExportSource], Iterator[ExportFile]]
"""One kind of export: all its files, in an order that follows from the snapshot."""
