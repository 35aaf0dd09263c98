"""Merkle trees of RFC 9162 section 2.1 with SHA-256: roots, inclusion and consistency proofs, and their verification.

A hash is 32 bytes; a sequence of hashes is one `bytes` object, so that a million of them take 32 MB.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

HASH_SIZE = 32
EMPTY_ROOT = hashlib.sha256(b"").digest()
"""The root of a tree without leaves."""


def leaf_hash(entry: bytes) -> bytes:
    """MTH({entry}): SHA-256 of 0x00 and the entry."""
    return hashlib.sha256(b"\x00" + entry).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """SHA-256 of 0x01 and the two hashes below a node."""
    return hashlib.sha256(b"\x01" + left + right).digest()


@dataclass(frozen=True, kw_only=True, slots=True)
class Tree:
    """An append-only tree: at each level the hashes of its complete subtrees, level 0 being the leaves."""

    levels: tuple[bytes, ...] = (b"",)

    @property
    def size(self) -> int:
        """How many leaves there are."""
        return len(self.levels[0]) // HASH_SIZE

    def extended(self, leaf_hashes: Iterable[bytes]) -> Tree:
        """The tree with more leaves; only subtrees that the new leaves complete are hashed."""
        levels: list[bytes] = []
        grown = self.levels[0] + b"".join(leaf_hashes)
        while True:
            levels.append(grown)
            pairs = len(grown) // (2 * HASH_SIZE)
            if not pairs:
                return Tree(levels=tuple(levels))
            known = self.levels[len(levels)] if len(levels) < len(self.levels) else b""
            grown = known + b"".join(_pair_hash(grown, i) for i in range(len(known) // HASH_SIZE, pairs))

    def node(self, level: int, index: int) -> bytes:
        """The hash of the complete subtree over leaves [index * 2^level, (index + 1) * 2^level)."""
        return self.levels[level][index * HASH_SIZE : (index + 1) * HASH_SIZE]

    def head(self, size: int) -> TreeHead:
        """The tree of the first `size` leaves; ValueError where there are fewer."""
        if not 0 <= size <= self.size:
            raise ValueError(f"no {size} leaves in a tree of {self.size}")
        return TreeHead(tree=self, size=size, edge=_edge(self, size))


def _pair_hash(hashes: bytes, index: int) -> bytes:
    start = 2 * HASH_SIZE * index
    return hashlib.sha256(b"\x01" + hashes[start : start + 2 * HASH_SIZE]).digest()


def _edge(tree: Tree, size: int) -> tuple[bytes, ...]:
    edge = [b""]
    for level in range(size.bit_length()):
        below = edge[-1]
        if size >> level & 1:
            node = tree.node(level, (size >> level) - 1)
            edge.append(node_hash(node, below) if below else node)
        else:
            edge.append(below)
    return tuple(edge)


@dataclass(frozen=True, kw_only=True, slots=True)
class TreeHead:
    """The first `size` leaves of a tree. `edge` holds at each level the hash of the incomplete subtree at its right
    side, empty where there is none, and behind the last level the root."""

    tree: Tree
    size: int
    edge: tuple[bytes, ...]

    @property
    def root(self) -> bytes:
        """MTH of the leaves."""
        return self.edge[-1] if self.size else EMPTY_ROOT

    def inclusion_proof(self, index: int) -> tuple[bytes, ...]:
        """PATH(index, leaves) of RFC 9162 section 2.1.3.1, from the leaf's sibling up; ValueError without the leaf."""
        if not 0 <= index < self.size:
            raise ValueError(f"no leaf {index} in a tree of {self.size}")
        return self._path(0, index)

    def consistency_proof(self, size: int) -> tuple[bytes, ...]:
        """PROOF(size, leaves) of RFC 9162 section 2.1.4.1, empty for the tree itself; ValueError for sizes beyond."""
        if not 0 < size <= self.size:
            raise ValueError(f"no tree of {size} leaves to start from in one of {self.size}")
        if size == self.size:
            return ()
        # The largest complete subtree that ends where the smaller tree ends: a verifier has it only where it is all.
        level = (size & -size).bit_length() - 1
        index = (size - 1) >> level
        start = () if index == 0 else (self.tree.node(level, index),)
        return start + self._path(level, index)

    def _path(self, level: int, index: int) -> tuple[bytes, ...]:
        path = []
        while (last := (self.size - 1) >> level) > 0:
            sibling = index ^ 1
            if sibling <= last:
                complete = (sibling + 1) << level <= self.size
                path.append(self.tree.node(level, sibling) if complete else self.edge[level])
            level, index = level + 1, index >> 1
        return tuple(path)


def inclusion_holds(*, leaf: bytes, index: int, size: int, proof: Sequence[bytes], root: bytes) -> bool:
    """Whether a proof leads from a leaf's hash to the root (RFC 9162 section 2.1.3.2). Never raises."""
    if not 0 <= index < size or not _are_hashes((leaf, root, *proof)):
        return False
    node, last, found = index, size - 1, leaf
    for sibling in proof:
        if last == 0:
            return False
        if node & 1 or node == last:
            found = node_hash(sibling, found)
            while not node & 1 and node:
                node, last = node >> 1, last >> 1
        else:
            found = node_hash(found, sibling)
        node, last = node >> 1, last >> 1
    return last == 0 and hmac.compare_digest(found, root)


def consistency_holds(*, size1: int, size2: int, root1: bytes, root2: bytes, proof: Sequence[bytes]) -> bool:
    """Whether a proof shows that the first tree is the beginning of the second (RFC 9162 section 2.1.4.2).

    A tree of size 0 proves nothing and is refused. Equal sizes need equal roots and no proof. Never raises.
    """
    if not 0 < size1 <= size2:
        return False
    if size1 == size2:
        return not proof and hmac.compare_digest(root1, root2)
    if not proof or not _are_hashes((root1, root2, *proof)):
        return False
    path = list(proof) if size1 & (size1 - 1) else [root1, *proof]
    node, last = size1 - 1, size2 - 1
    while node & 1:
        node, last = node >> 1, last >> 1
    first = second = path[0]
    for sibling in path[1:]:
        if last == 0:
            return False
        if node & 1 or node == last:
            first, second = node_hash(sibling, first), node_hash(sibling, second)
            while not node & 1 and node:
                node, last = node >> 1, last >> 1
        else:
            second = node_hash(second, sibling)
        node, last = node >> 1, last >> 1
    return last == 0 and hmac.compare_digest(first, root1) and hmac.compare_digest(second, root2)


def _are_hashes(hashes: Sequence[bytes]) -> bool:
    return all(len(value) == HASH_SIZE for value in hashes)
