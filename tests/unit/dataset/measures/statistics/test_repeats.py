"""pass@k and pass^k against the published estimators."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dataset.measures.statistics.cluster import Cluster
from dataset.measures.statistics.repeats import measure_repeats, pass_at_k, pass_hat_k

UNITS = st.lists(st.integers(1, 8).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), min_size=1, max_size=12)


def test_two_of_five_tries_give_the_values_worked_by_hand() -> None:
    # pass@2 = 1 - C(3,2) / C(5,2) = 0.7; pass^2 = C(2,2) / C(5,2) = 0.1.
    assert float(pass_at_k([Cluster(2, 5)], 2)) == 0.7
    assert float(pass_hat_k([Cluster(2, 5)], 2)) == 0.1


@given(st.integers(1, 200), st.data())
def test_pass_at_k_is_the_product_of_the_paper(tries: int, data: st.DataObject) -> None:
    # Chen et al. (2021), "Evaluating Large Language Models Trained on Code", figure 3.
    passed, k = data.draw(st.integers(0, tries)), data.draw(st.integers(1, tries))
    expected = 1.0 if tries - passed < k else 1.0 - np.prod(1.0 - k / np.arange(tries - passed + 1, tries + 1))
    assert float(pass_at_k([Cluster(passed, tries)], k)) == pytest.approx(float(expected), abs=1e-9)


@given(UNITS)
def test_both_are_shares_of_all_ways_to_choose_k_tries(units: list[tuple[int, int]]) -> None:
    k = min(tries for _, tries in units)
    ways = [list(combinations([True] * p + [False] * (n - p), k)) for p, n in units]
    any_passes = sum(sum(map(any, way)) / len(way) for way in ways) / len(units)
    all_pass = sum(sum(map(all, way)) / len(way) for way in ways) / len(units)
    clusters = [Cluster(*unit) for unit in units]
    assert float(pass_at_k(clusters, k)) == pytest.approx(any_passes)
    assert float(pass_hat_k(clusters, k)) == pytest.approx(all_pass)


@given(UNITS)
def test_more_tries_pass_more_often_once_and_less_often_always(units: list[tuple[int, int]]) -> None:
    clusters = [Cluster(*unit) for unit in units]
    ks = range(1, min(tries for _, tries in units) + 1)
    at, hat = [pass_at_k(clusters, k) for k in ks], [pass_hat_k(clusters, k) for k in ks]
    assert at == sorted(at)
    assert hat == sorted(hat, reverse=True)
    assert at[0] == hat[0]


def test_a_case_with_fewer_valid_repeats_withholds_only_the_ks_it_lacks() -> None:
    found = measure_repeats([Cluster(3, 3), Cluster(1, 2)], planned=2, repeats=3)
    assert [(r.k, r.pass_at_k, r.pass_hat_k, r.withheld) for r in found] == [
        (1, "0.7500", "0.7500", None),
        (2, "1.0000", "0.5000", None),
        (3, None, None, "missing-repeats"),
    ]


def test_a_planned_case_without_any_valid_run_withholds_every_k() -> None:
    assert {r.withheld for r in measure_repeats([Cluster(2, 2)], planned=2, repeats=2)} == {"missing-repeats"}
    assert {r.withheld for r in measure_repeats([], planned=1, repeats=2)} == {"missing-repeats"}
