"""The cluster bootstrap: cases are drawn again and again, each with all of its runs.

Draws come from SHAKE-256, so anyone can repeat them in any language; no library's generator stands behind them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from decimal import Decimal
from hashlib import shake_256
from typing import TYPE_CHECKING

from dataset.measures.statistics.cluster import Cluster

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

RESAMPLES = 4999
"""With (RESAMPLES + 1) / 40 a whole number, both ends of the interval are resamples themselves."""
_BLOCK = 500
"""Resamples that are drawn at once; part of the definition, because each block has a stream of its own."""


def bootstrap_seed(definition_hash: str) -> bytes:
    """What all draws of a batch start from."""
    return f"glassbench.bootstrap/1:{definition_hash}".encode()


def cluster_bootstrap(clusters: Sequence[Cluster], seed: bytes) -> tuple[Decimal, Decimal]:
    """The 95 % percentile interval of the mean outcome of a run; ValueError without a cluster.

    Davison and Hinkley (1997), "Bootstrap Methods and their Application", section 5.3 (percentile limits as order
    statistics) and section 3.8 (whole clusters are drawn).
    """
    import numpy as np

    if not clusters:
        raise ValueError("no cluster to draw from")
    blocks = [_block(clusters, words) for words in _draws(len(clusters), seed)]
    total = np.concatenate([totals for totals, _ in blocks])
    runs = np.concatenate([counts for _, counts in blocks])
    order = np.argsort(total / runs, kind="stable")
    last = (RESAMPLES + 1) // 40
    low, high = (Decimal(int(total[at])) / int(runs[at]) for at in (order[last - 1], order[RESAMPLES - last]))
    return low, high


def _draws(clusters: int, seed: bytes) -> Iterator[NDArray[np.uint32]]:
    """Blocks of resamples: a row holds a word for each cluster that is drawn.

    Block b is the little-endian 32-bit words of SHAKE-256 of `seed:clusters:b`.
    """
    import numpy as np

    for block, start in enumerate(range(0, RESAMPLES, _BLOCK)):
        rows = min(_BLOCK, RESAMPLES - start)
        stream = shake_256(seed + f":{clusters}:{block}".encode()).digest(4 * rows * clusters)
        yield np.frombuffer(stream, dtype="<u4").reshape(rows, clusters)


def _block(clusters: Sequence[Cluster], words: NDArray[np.uint32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """By resample, the sum of outcomes and the number of runs.

    A word w draws the cluster at floor(w * clusters / 2^32) of all in ascending order, which favours none by more than
    clusters / 2^32. Clusters that are alike stand side by side there: it's enough to count the words below each bound.
    """
    import numpy as np

    total = np.zeros(len(words), dtype=np.int64)
    runs, before, position = total.copy(), total, 0
    for cluster, times in sorted(Counter(clusters).items()):
        position += times
        bound = np.uint64(-(-(position << 32) // len(clusters)))
        below = (
            np.count_nonzero(words < bound, axis=1) if position < len(clusters) else np.full_like(runs, len(clusters))
        )
        total, runs = total + cluster.total * (below - before), runs + cluster.runs * (below - before)
        before = below
    return total, runs
