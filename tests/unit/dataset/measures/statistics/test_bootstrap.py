"""The bootstrap's draws can be repeated by anyone, and its interval is the one that others find."""

from __future__ import annotations

from hashlib import shake_256

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import bootstrap

from dataset.measures.statistics.bootstrap import RESAMPLES, bootstrap_seed, cluster_bootstrap
from dataset.measures.statistics.cluster import Cluster
from tests.unit.dataset.measures.statistics.test_cluster import CLUSTERS

SEED = bootstrap_seed("0" * 64)


def by_hand(clusters: list[Cluster], seed: bytes) -> tuple[float, float]:
    """The documented procedure word by word, with nothing but the standard library."""
    ordered, found = sorted(clusters), []
    size = len(ordered)
    for start in range(0, RESAMPLES, 500):
        stream = shake_256(seed + f":{size}:{start // 500}".encode()).digest(4 * 500 * size)
        for row in range(min(500, RESAMPLES - start)):
            words = (stream[4 * (row * size + at) :][:4] for at in range(size))
            drawn = [ordered[int.from_bytes(word, "little") * size >> 32] for word in words]
            found.append(sum(c.total for c in drawn) / sum(c.runs for c in drawn))
    found.sort()
    return found[124], found[4874]


def test_the_documented_draws_give_the_interval() -> None:
    low, high = cluster_bootstrap(CLUSTERS, SEED)
    assert (float(low), float(high)) == by_hand(CLUSTERS, SEED)


def test_the_interval_is_pinned_so_that_no_library_can_move_it() -> None:
    assert [f"{value:.4f}" for value in cluster_bootstrap(CLUSTERS, SEED)] == ["0.3750", "0.7750"]


def test_the_order_of_cases_does_not_count_and_the_seed_does() -> None:
    found = cluster_bootstrap(CLUSTERS, SEED)
    assert cluster_bootstrap(CLUSTERS[::-1], SEED) == found
    assert cluster_bootstrap(CLUSTERS, bootstrap_seed("1" * 64)) != found


def test_scipy_draws_about_the_same_interval() -> None:
    total, runs = (np.array(column) for column in zip(*CLUSTERS, strict=True))
    expected = bootstrap(
        (total, runs),
        lambda t, r, axis: t.sum(axis=axis) / r.sum(axis=axis),
        paired=True,
        method="percentile",
        n_resamples=20_000,
        rng=np.random.default_rng(1),
    ).confidence_interval
    low, high = cluster_bootstrap(CLUSTERS, SEED)
    assert float(low) == pytest.approx(expected.low, abs=0.02)
    assert float(high) == pytest.approx(expected.high, abs=0.02)


@settings(max_examples=25)
@given(st.lists(st.integers(0, 4), min_size=10, max_size=40))
def test_with_equal_runs_the_interval_holds_the_estimate_and_stays_within_what_was_seen(passes: list[int]) -> None:
    low, high = cluster_bootstrap([Cluster(passed, 4) for passed in passes], SEED)
    assert min(passes) / 4 <= low <= sum(passes) / 4 / len(passes) <= high <= max(passes) / 4


def test_without_a_case_there_is_nothing_to_draw() -> None:
    with pytest.raises(ValueError, match="no cluster"):
        cluster_bootstrap([], SEED)
