"""Trees, proofs and their verification, against the recursive definitions of RFC 9162 and random trees."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from publisher.release_log.merkle import (
    EMPTY_ROOT,
    Tree,
    consistency_holds,
    inclusion_holds,
    leaf_hash,
    node_hash,
)

MOST = 70


def leaves(count: int) -> list[bytes]:
    return [leaf_hash(str(i).encode()) for i in range(count)]


def split(count: int) -> int:
    """The largest power of two below a count."""
    return 1 << ((count - 1).bit_length() - 1)


def root(hashes: list[bytes]) -> bytes:
    """MTH of RFC 9162 section 2.1.1, as it is written there."""
    if len(hashes) < 2:
        return hashes[0] if hashes else hashlib.sha256(b"").digest()
    k = split(len(hashes))
    return node_hash(root(hashes[:k]), root(hashes[k:]))


def path(index: int, hashes: list[bytes]) -> list[bytes]:
    """PATH of section 2.1.3.1."""
    if len(hashes) == 1:
        return []
    k = split(len(hashes))
    if index < k:
        return [*path(index, hashes[:k]), root(hashes[k:])]
    return [*path(index - k, hashes[k:]), root(hashes[:k])]


def subproof(size: int, hashes: list[bytes], whole: bool) -> list[bytes]:
    """SUBPROOF of section 2.1.4.1."""
    if size == len(hashes):
        return [] if whole else [root(hashes)]
    k = split(len(hashes))
    if size <= k:
        return [*subproof(size, hashes[:k], whole), root(hashes[k:])]
    return [*subproof(size - k, hashes[k:], False), root(hashes[:k])]


TREE = Tree().extended(leaves(MOST))


@pytest.mark.parametrize("size", range(MOST + 1))
def test_every_root_is_that_of_the_definition(size: int) -> None:
    assert TREE.head(size).root == root(leaves(size))


@pytest.mark.parametrize("size", range(1, MOST + 1))
def test_every_inclusion_proof_is_that_of_the_definition_and_holds(size: int) -> None:
    head = TREE.head(size)
    for index in range(size):
        proof = head.inclusion_proof(index)
        assert list(proof) == path(index, leaves(size))
        assert inclusion_holds(leaf=TREE.node(0, index), index=index, size=size, proof=proof, root=head.root)


@pytest.mark.parametrize("size", range(1, MOST + 1))
def test_every_consistency_proof_is_that_of_the_definition_and_holds(size: int) -> None:
    head = TREE.head(size)
    for old in range(1, size + 1):
        proof, old_root = head.consistency_proof(old), TREE.head(old).root
        assert list(proof) == subproof(old, leaves(size), True)
        assert consistency_holds(size1=old, size2=size, root1=old_root, root2=head.root, proof=proof)


@given(st.lists(st.integers(min_value=0, max_value=40), max_size=6))
def test_a_tree_doesnt_depend_on_the_steps_it_grew_in(steps: list[int]) -> None:
    hashes = leaves(sum(steps))
    tree, start = Tree(), 0
    for step in steps:
        tree, start = tree.extended(hashes[start : start + step]), start + step
    assert tree == Tree().extended(hashes)


@given(size=st.integers(1, MOST), data=st.data())
def test_a_changed_inclusion_proof_is_refused(size: int, data: st.DataObject) -> None:
    index = data.draw(st.integers(0, size - 1))
    head = TREE.head(size)
    proof = list(head.inclusion_proof(index))
    leaf = TREE.node(0, index)
    wrong = data.draw(st.integers(0, size + 5).filter(lambda i: i != index))
    assert not inclusion_holds(leaf=leaf, index=wrong, size=size, proof=proof, root=head.root)
    for changed in mangled(proof, data):
        assert not inclusion_holds(leaf=leaf, index=index, size=size, proof=changed, root=head.root)


@given(size=st.integers(2, MOST), data=st.data())
def test_a_changed_consistency_proof_is_refused(size: int, data: st.DataObject) -> None:
    old = data.draw(st.integers(1, size - 1))
    head, root1 = TREE.head(size), TREE.head(old).root
    proof = list(head.consistency_proof(old))
    for changed in mangled(proof, data):
        assert not consistency_holds(size1=old, size2=size, root1=root1, root2=head.root, proof=changed)


def mangled(proof: list[bytes], data: st.DataObject) -> list[list[bytes]]:
    found = [[*proof, proof[0] if proof else EMPTY_ROOT], [EMPTY_ROOT, *proof], [*proof, b""]]
    if proof:
        place = data.draw(st.integers(0, len(proof) - 1))
        bit = data.draw(st.integers(0, 255))
        flipped = bytearray(proof[place])
        flipped[bit // 8] ^= 1 << bit % 8
        found += [proof[:-1], proof[1:], [*proof[:place], bytes(flipped), *proof[place + 1 :]]]
    return found


def test_a_leaf_is_no_node() -> None:
    left, right = leaves(2)
    assert leaf_hash(left + right) != node_hash(left, right)


@pytest.mark.parametrize("size", [-1, MOST + 1])
def test_a_head_beyond_the_leaves_is_an_error(size: int) -> None:
    with pytest.raises(ValueError, match="leaves in a tree of"):
        TREE.head(size)


def test_proofs_of_what_isnt_there_are_errors() -> None:
    head = TREE.head(5)
    for call, number in ((head.inclusion_proof, 5), (head.inclusion_proof, -1), (head.consistency_proof, 0)):
        with pytest.raises(ValueError, match="no "):
            call(number)


def test_proofs_of_a_long_log_look_hashes_up_and_compute_none(monkeypatch: pytest.MonkeyPatch) -> None:
    head = Tree().extended(leaf_hash(i.to_bytes(4, "big")) for i in range(5000)).head(5000)

    def refuse(*_: object) -> None:
        raise AssertionError("hashed again")

    monkeypatch.setattr("publisher.release_log.merkle.hashlib.sha256", refuse)
    assert max(len(head.inclusion_proof(i)) for i in range(5000)) == 13
