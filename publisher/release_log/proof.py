"""Proofs as text: inclusion as C2SP tlog-proof, consistency as the request that C2SP tlog-witness defines.

https://c2sp.org/tlog-proof · https://c2sp.org/tlog-witness
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from publisher.release_log.checkpoint import ReadCheckpoint, read_checkpoint
from publisher.release_log.errors import MalformedError
from publisher.release_log.lines import base64_text, read_base64, read_decimal, read_hash
from publisher.release_log.merkle import consistency_holds, inclusion_holds
from publisher.release_log.note import read_text

_INCLUSION = "c2sp.org/tlog-proof@v1"
_MOST_HASHES = 63


@dataclass(frozen=True, kw_only=True, slots=True)
class InclusionProof:
    """That an entry stands at an index of the log that a checkpoint is of."""

    index: int
    hashes: tuple[bytes, ...]
    checkpoint: ReadCheckpoint

    def holds(self, leaf: bytes) -> bool:
        """Whether it leads from the hash of the entry to the root of the checkpoint; signatures aren't looked at."""
        head = self.checkpoint.checkpoint
        return inclusion_holds(leaf=leaf, index=self.index, size=head.size, proof=self.hashes, root=head.root)


@dataclass(frozen=True, kw_only=True, slots=True)
class ConsistencyProof:
    """That the log that a checkpoint is of begins with an older log of a size."""

    old_size: int
    hashes: tuple[bytes, ...]
    checkpoint: ReadCheckpoint

    def holds(self, old_root: bytes) -> bool:
        """Whether it leads from the older root to the root of the checkpoint; signatures aren't looked at."""
        head = self.checkpoint.checkpoint
        return consistency_holds(
            size1=self.old_size, size2=head.size, root1=old_root, root2=head.root, proof=self.hashes
        )


def inclusion_text(index: int, hashes: Sequence[bytes], checkpoint: bytes) -> bytes:
    """The file of an inclusion proof against a checkpoint, given as its file."""
    return _proof_text(f"{_INCLUSION}\nindex {index}\n", hashes, checkpoint)


def consistency_text(old_size: int, hashes: Sequence[bytes], checkpoint: bytes) -> bytes:
    """The file of a consistency proof from an older size to a checkpoint, given as its file."""
    return _proof_text(f"old {old_size}\n", hashes, checkpoint)


def _proof_text(head: str, hashes: Sequence[bytes], checkpoint: bytes) -> bytes:
    return f"{head}{''.join(f'{base64_text(found)}' + chr(10) for found in hashes)}\n".encode() + checkpoint


def read_inclusion(data: bytes) -> InclusionProof:
    """The inclusion proof in a file; MalformedError. An `extra` line, which we never write, is passed over."""
    lines, checkpoint = _split(data)
    if lines[0] != _INCLUSION:
        raise MalformedError(f"the first line isn't {_INCLUSION}")
    if len(lines) > 1 and lines[1].startswith("extra "):
        read_base64(lines.pop(1).removeprefix("extra "))
    if len(lines) < 2:
        raise MalformedError("no index line")
    return InclusionProof(index=_numbered(lines[1], "index"), hashes=_hashes(lines[2:]), checkpoint=checkpoint)


def read_consistency(data: bytes) -> ConsistencyProof:
    """The consistency proof in a file; MalformedError."""
    lines, checkpoint = _split(data)
    return ConsistencyProof(old_size=_numbered(lines[0], "old"), hashes=_hashes(lines[1:]), checkpoint=checkpoint)


def _split(data: bytes) -> tuple[list[str], ReadCheckpoint]:
    """The lines before the first empty one, and the checkpoint behind it."""
    head, separator, rest = read_text(data).partition("\n\n")
    if not separator:
        raise MalformedError("no empty line before a checkpoint")
    return head.split("\n"), read_checkpoint(rest.encode())


def _numbered(line: str, word: str) -> int:
    if not line.startswith(f"{word} "):
        raise MalformedError(f"no {word} line")
    return read_decimal(line.removeprefix(f"{word} "))


def _hashes(lines: Sequence[str]) -> tuple[bytes, ...]:
    if len(lines) > _MOST_HASHES:
        raise MalformedError(f"more than {_MOST_HASHES} hashes")
    return tuple(map(read_hash, lines))
