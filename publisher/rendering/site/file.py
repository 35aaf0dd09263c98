"""One file of a site: its name below the root, and its bytes or a way to them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from dataset.canonical import sha256_hex


@dataclass(frozen=True, kw_only=True, slots=True)
class SiteFile:
    """One file: its relative name, always with `/`, and its bytes."""

    name: str
    data: bytes

    @property
    def size(self) -> int:
        """How many bytes there are."""
        return len(self.data)

    @property
    def sha256(self) -> str:
        """sha256 of the bytes, in hexadecimal."""
        return sha256_hex(self.data)

    def chunks(self) -> Iterator[bytes]:
        """The bytes, in as many pieces as they are kept in."""
        yield self.data


@dataclass(frozen=True, kw_only=True, slots=True)
class LongFile:
    """One file that isn't held in memory. Its chunks are all taken before the file after it is asked for; `digest` is
    its sha256, once they are."""

    name: str
    chunks: Callable[[], Iterator[bytes]]
    digest: Callable[[], str]

    @property
    def sha256(self) -> str:
        """sha256 of the bytes, in hexadecimal."""
        return self.digest()
