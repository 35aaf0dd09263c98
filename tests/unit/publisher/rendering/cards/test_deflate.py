"""The own compressor writes what any other decompressor reads."""

from __future__ import annotations

import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from publisher.rendering.cards.deflate import zlib_stream
from publisher.rendering.cards.huffman import canonical_codes, code_lengths


@given(
    parts=st.lists(st.tuples(st.binary(min_size=1, max_size=6), st.integers(1, 400)), min_size=1, max_size=8),
    row=st.integers(2, 300),
)
def test_any_data_comes_back(parts: list[tuple[bytes, int]], row: int) -> None:
    data = b"".join(piece * times for piece, times in parts).ljust(row + 1, b"\x00")
    assert zlib.decompress(zlib_stream(np.frombuffer(data, np.uint8), row)) == data


def test_noise_comes_back() -> None:
    data = np.random.default_rng(6).integers(0, 256, 50_000, dtype=np.uint8)
    assert zlib.decompress(zlib_stream(data, 1201)) == data.tobytes()


def test_a_repeated_row_costs_almost_nothing() -> None:
    row = np.random.default_rng(6).integers(0, 256, 1201, dtype=np.uint8)
    assert len(zlib_stream(np.tile(row, 600), 1201)) < len(row) + 10_000


def test_no_code_is_longer_than_allowed_and_the_codes_fill_the_tree() -> None:
    fibonacci = [1, 1]
    while len(fibonacci) < 30:
        fibonacci.append(fibonacci[-1] + fibonacci[-2])
    for longest in (7, 15):
        lengths = code_lengths(fibonacci, longest)
        assert lengths.max() <= longest
        assert sum(2.0**-length for length in lengths.tolist()) == 1
        assert len(set(zip(canonical_codes(lengths).tolist(), lengths.tolist(), strict=True))) == 30


@pytest.mark.parametrize("counts", [[5, 0, 0], [0, 0, 5], [0, 0, 0]])
def test_at_least_two_symbols_have_a_code(counts: list[int]) -> None:
    lengths = code_lengths(counts, 15)
    assert np.count_nonzero(lengths) >= 2
    assert sum(2.0**-length for length in lengths.tolist() if length) == 1
