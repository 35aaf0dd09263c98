"""A zlib stream (RFC 1950, 1951) made by this module alone: the compressors of libraries change with their version.

It looks for repetition at two distances only, those at which drawn pictures repeat: the pixel before and the row
above. One block, with Huffman codes made for it.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from publisher.rendering.cards.huffman import Numbers, canonical_codes, code_lengths

SHORTEST, LONGEST = 3, 258
FAR_COSTS = 2
"""By how many bytes a match in the row above must be longer to be worth the bits of its distance."""
END, FIRST_LENGTH = 256, 257
LENGTH_SYMBOLS, DISTANCE_SYMBOLS = 286, 30
LENGTH_BASES = np.array([*range(3, 11), *range(11, 19, 2), *range(19, 35, 4), *range(35, 67, 8), *range(67, 131, 16),
                         *range(131, 258, 32), 258])  # fmt: skip
LENGTH_EXTRA = np.array([0] * 8 + [1] * 4 + [2] * 4 + [3] * 4 + [4] * 4 + [5] * 4 + [0])
DISTANCE_EXTRA = np.array([0, 0] + [bits for bits in range(14) for _ in range(2)])
DISTANCE_BASES = 1 + np.concatenate([[0], np.cumsum(1 << DISTANCE_EXTRA)[:-1]])
LENGTHS_ORDER = (16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15)
"""The order in which the code of the codes' lengths is written."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Tokens:
    """Literals and matches in order; a literal has distance 0 and its byte as value, a match its length."""

    values: Numbers
    distances: Numbers


def zlib_stream(data: NDArray[np.uint8], row: int) -> bytes:
    """The data as a zlib stream; repetition is sought one byte and one row (2 to 32,768 bytes) before."""
    block = _packed(*_fields(_tokens(data, row)))
    return b"\x78\x01" + block + zlib.adler32(data.tobytes()).to_bytes(4, "big")


def _tokens(data: NDArray[np.uint8], row: int) -> _Tokens:
    near, far = _match_ends(data, 1), _match_ends(data, row)
    places = np.arange(len(data), dtype=np.int32)
    steps = np.where(far > near + FAR_COSTS, far, near)
    steps -= places
    np.minimum(steps, LONGEST, out=steps)
    steps[steps < SHORTEST] = 1
    at = _visited(steps)
    lengths = steps[at].astype(np.int64)
    literal = lengths == 1
    # A match of the same length costs less nearby, where the distance takes no further bits.
    distances = np.where(near[at] - at >= lengths, 1, row)
    return _Tokens(values=np.where(literal, data[at], lengths), distances=np.where(literal, 0, distances))


def _match_ends(data: NDArray[np.uint8], distance: int) -> NDArray[np.int32]:
    """For each place, where the bytes from there on stop being equal to those `distance` before."""
    differing = np.flatnonzero(data[distance:] != data[:-distance]) + distance
    stops = np.concatenate([np.arange(distance), differing, [len(data)]])
    return np.repeat(stops.astype(np.int32), np.diff(stops, prepend=-1))[: len(data)]


def _visited(steps: NDArray[np.int32]) -> Numbers:
    """The places where a token begins, each match having skipped what it covers."""
    step, at, visited = memoryview(steps.data), 0, []
    end = len(step)
    while at < end:
        visited.append(at)
        at += step[at]
    return np.array(visited, np.int64)


def _fields(tokens: _Tokens) -> tuple[Numbers, Numbers]:
    """Everything the block holds as numbers and their widths in bits."""
    matched = tokens.distances > 0
    length_at = np.searchsorted(LENGTH_BASES, tokens.values, side="right") - 1
    symbols = np.append(np.where(matched, FIRST_LENGTH + length_at, tokens.values), END)
    distance_at = np.searchsorted(DISTANCE_BASES, tokens.distances[matched], side="right") - 1
    lengths = code_lengths(np.bincount(symbols, minlength=LENGTH_SYMBOLS).tolist(), 15)
    distance_lengths = code_lengths(np.bincount(distance_at, minlength=DISTANCE_SYMBOLS).tolist(), 15)
    head, head_bits = _header(lengths, distance_lengths)
    columns = np.zeros((2, len(symbols), 4), np.int64)
    columns[:, :, 0] = canonical_codes(lengths)[symbols], lengths[symbols]
    where = np.flatnonzero(matched)
    measured = length_at[matched]
    columns[:, where, 1] = tokens.values[matched] - LENGTH_BASES[measured], LENGTH_EXTRA[measured]
    columns[:, where, 2] = canonical_codes(distance_lengths)[distance_at], distance_lengths[distance_at]
    columns[:, where, 3] = tokens.distances[matched] - DISTANCE_BASES[distance_at], DISTANCE_EXTRA[distance_at]
    return np.concatenate([head, columns[0].reshape(-1)]), np.concatenate([head_bits, columns[1].reshape(-1)])


def _header(lengths: Numbers, distance_lengths: Numbers) -> tuple[Numbers, Numbers]:
    """One last block with codes of its own, and the lengths of those codes, written one by one."""
    written = np.concatenate([lengths, distance_lengths])
    of_lengths = code_lengths(np.bincount(written, minlength=19).tolist(), 7)
    start = [(1, 1), (2, 2), (LENGTH_SYMBOLS - 257, 5), (DISTANCE_SYMBOLS - 1, 5), (len(LENGTHS_ORDER) - 4, 4)]
    start += [(int(of_lengths[symbol]), 3) for symbol in LENGTHS_ORDER]
    numbers, bits = zip(*start, strict=True)
    codes = canonical_codes(of_lengths)
    return np.concatenate([numbers, codes[written]]), np.concatenate([bits, of_lengths[written]])


def _packed(numbers: Numbers, bits: Numbers) -> bytes:
    """The numbers one after another, lowest bit first."""
    kept = bits > 0
    numbers, bits = numbers[kept], bits[kept]
    ends = np.cumsum(bits)
    shift = np.arange(ends[-1]) - np.repeat(ends - bits, bits)
    return np.packbits((np.repeat(numbers, bits) >> shift & 1).astype(np.uint8), bitorder="little").tobytes()
