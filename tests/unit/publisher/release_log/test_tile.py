"""Names and bytes of tiles and bundles, with the examples of the tlog-tiles specification."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from publisher.release_log.errors import MalformedError
from publisher.release_log.merkle import Tree, leaf_hash
from publisher.release_log.tile import (
    bundle,
    bundle_path,
    bundle_start,
    hash_tile,
    hash_tile_path,
    read_bundle,
    tiles_of,
)


@pytest.mark.parametrize(
    ("index", "width", "name"),
    [
        (0, 256, "tile/0/000"),
        (0, 1, "tile/0/000.p/1"),
        (999, 256, "tile/0/999"),
        (1000, 255, "tile/0/x001/000.p/255"),
        (1234067, 256, "tile/0/x001/x234/067"),
    ],
)
def test_a_tile_is_named_in_groups_of_three_digits(index: int, width: int, name: str) -> None:
    assert hash_tile_path(0, index, width) == name
    assert bundle_path(index, width) == name.replace("/0/", "/entries/", 1)


def test_a_tree_of_70000_has_the_tiles_that_the_specification_counts() -> None:
    found = Counter((level, width) for level, _, width in tiles_of(70_000))
    assert found == {(0, 256): 273, (0, 112): 1, (1, 256): 1, (1, 17): 1, (2, 1): 1}


def test_a_tree_of_256_has_a_full_tile_and_one_hash_above() -> None:
    assert list(tiles_of(256)) == [(0, 0, 256), (1, 0, 1)]


def test_an_empty_tree_has_no_tiles() -> None:
    assert list(tiles_of(0)) == []


def test_a_hash_above_is_the_root_of_a_full_tile_below() -> None:
    tree = Tree().extended(leaf_hash(str(i).encode()) for i in range(600))
    below = hash_tile(tree, 0, 1, 256)
    again = Tree().extended(below[i : i + 32] for i in range(0, len(below), 32))
    assert hash_tile(tree, 1, 0, 2)[32:] == again.head(256).root


def test_a_hash_two_levels_above_is_the_root_of_its_65536_leaves() -> None:
    tree = Tree().extended([leaf_hash(b"")] * 65_537)
    assert hash_tile(tree, 2, 0, 1) == tree.head(65_536).root


@given(st.lists(st.binary(max_size=300), max_size=256))
def test_a_bundle_reads_back(entries: list[bytes]) -> None:
    assert read_bundle(bundle(entries), len(entries)) == entries


@given(st.lists(st.binary(max_size=40), min_size=2, max_size=50), st.data())
def test_the_start_of_a_bundle_is_the_bundle_of_its_first_entries(entries: list[bytes], data: st.DataObject) -> None:
    width = data.draw(st.integers(1, len(entries)))
    assert bundle_start(bundle(entries), width) == bundle(entries[:width])


@pytest.mark.parametrize(
    ("defect", "data"),
    [
        ("cut in an entry", b"\x00\x03ab"),
        ("cut in a length", b"\x00\x02ab\x00"),
        ("one entry too few", b"\x00\x02ab"),
        ("one entry too many", b"\x00\x01a" * 3),
        ("bytes behind the last", b"\x00\x01a\x00\x01b\xff"),
        ("nothing", b""),
    ],
)
def test_a_damaged_bundle_is_refused(defect: str, data: bytes) -> None:
    with pytest.raises(MalformedError):
        read_bundle(data, 2)


def test_an_entry_beyond_64_kib_is_refused() -> None:
    assert len(bundle([b"x" * 65535])) == 65537
    with pytest.raises(MalformedError, match="65536 bytes"):
        bundle([b"x" * 65536])
