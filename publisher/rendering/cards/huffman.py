"""Huffman codes as DEFLATE writes them: lengths from counts, canonical codes from lengths (RFC 1951, 3.2.2)."""

from __future__ import annotations

import heapq
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]


def code_lengths(counts: Sequence[int], longest: int) -> Numbers:
    """The length in bits of each symbol's code, 0 for a symbol that never occurs; none is longer than `longest`.

    At least two symbols get a code: some readers refuse a code of one symbol.
    """
    lonely = sum(map(bool, counts)) < 2
    wanted = [max(count, 1) if lonely and symbol < 2 else count for symbol, count in enumerate(counts)]
    lengths = _tree_depths(wanted)
    while max(lengths) > longest:
        # Flatter counts give a flatter tree; equal counts give one of log2(symbols), which every limit here allows.
        wanted = [(count + 1) // 2 for count in wanted]
        lengths = _tree_depths(wanted)
    return np.array(lengths, np.int64)


def canonical_codes(lengths: Numbers) -> Numbers:
    """The code of each symbol, its bits in the order in which they are written."""
    codes, code = np.zeros(len(lengths), np.int64), 0
    for length in range(1, int(lengths.max()) + 1):
        code <<= 1
        for symbol in np.flatnonzero(lengths == length):
            codes[symbol] = int(f"{code:0{length}b}"[::-1], 2)
            code += 1
    return codes


def _tree_depths(counts: Sequence[int]) -> list[int]:
    # Equal counts are told apart by a serial number, so that the tree is the same everywhere.
    heap = [(count, symbol) for symbol, count in enumerate(counts) if count]
    heapq.heapify(heap)
    parents: dict[int, int] = {}
    serial = len(counts)
    while len(heap) > 1:
        (first, left), (second, right) = heapq.heappop(heap), heapq.heappop(heap)
        parents[left] = parents[right] = serial
        heapq.heappush(heap, (first + second, serial))
        serial += 1
    depth_of = {serial - 1: 0}
    for node in sorted(parents, reverse=True):
        depth_of[node] = depth_of[parents[node]] + 1
    return [depth_of.get(symbol, 0) for symbol in range(len(counts))]
