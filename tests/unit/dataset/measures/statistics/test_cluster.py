"""Standard errors against published values, statsmodels and scipy."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import sem

from dataset.measures.statistics.cluster import (
    Cluster,
    clustered_stderr,
    mean_stderr_between,
    mean_stderr_within,
    run_stderr,
)
from dataset.measures.statistics.evidence import six_places

CLUSTERS = [Cluster(*c) for c in ((2, 3), (0, 2), (4, 4), (1, 1), (3, 5), (0, 3), (2, 2), (1, 4), (5, 6), (2, 5))]
CLUSTERS += [Cluster(0, 1), Cluster(3, 3)]
OUTCOMES = st.lists(st.lists(st.integers(0, 1), min_size=1, max_size=5), min_size=2, max_size=15)


def test_14_of_307_have_the_standard_error_that_they_are_known_for() -> None:
    assert six_places(run_stderr(14, 307)) == "0.011926"


@given(st.lists(st.integers(0, 1), min_size=2, max_size=200))
def test_the_error_of_independent_runs_equals_scipy(outcomes: list[int]) -> None:
    found = run_stderr(sum(outcomes), len(outcomes))
    assert found is not None
    assert float(found) == pytest.approx(sem(outcomes), abs=1e-12)


def test_the_clustered_error_equals_statsmodels() -> None:
    # statsmodels 0.15: OLS(outcomes, constant).fit(cov_type="cluster", cov_kwds={"groups": case}).bse, 12 cases.
    assert six_places(clustered_stderr(CLUSTERS)) == "0.103229"


@given(OUTCOMES)
def test_the_clustered_error_is_the_sum_over_all_pairs_of_a_case(cases: list[list[int]]) -> None:
    # Miller (2024), "Adding Error Bars to Evals": products of deviations over all pairs within a cluster, here with
    # the correction G / (G - 1) that Inspect and statsmodels make.
    runs = [outcome for case in cases for outcome in case]
    mean = sum(runs) / len(runs)
    products = sum((one - mean) * (other - mean) for case in cases for one in case for other in case)
    expected = (max(0.0, products) * len(cases) / (len(cases) - 1)) ** 0.5 / len(runs)
    found = clustered_stderr([Cluster(sum(case), len(case)) for case in cases])
    assert found is not None
    assert float(found) == pytest.approx(expected, abs=1e-7)


@given(st.lists(st.integers(0, 1), min_size=2, max_size=50))
def test_with_one_run_a_case_both_errors_are_the_same(outcomes: list[int]) -> None:
    assert clustered_stderr([Cluster(o, 1) for o in outcomes]) == run_stderr(sum(outcomes), len(outcomes))


def test_repeats_that_only_say_the_same_again_make_nothing_surer() -> None:
    once = clustered_stderr([Cluster(c % 2, 1) for c in range(20)])
    assert clustered_stderr([Cluster(7 * (c % 2), 7) for c in range(20)]) == once
    naive = run_stderr(70, 140)
    assert once is not None
    assert naive is not None
    assert naive < once / 2


def test_a_mean_of_three_groups_has_the_errors_worked_by_hand() -> None:
    # within: sqrt(0.0009 + 0.0016 + 0.0144) / 3 = 0.13 / 3; between: sd(0.2, 0.5, 0.8) / sqrt(3) = 0.3 / sqrt(3).
    within = mean_stderr_within([Fraction(9, 10_000), Fraction(16, 10_000), Fraction(144, 10_000)])
    assert six_places(within) == "0.043333"
    assert six_places(mean_stderr_between([Fraction(1, 5), Fraction(1, 2), Fraction(4, 5)])) == "0.173205"


def test_one_run_or_one_case_or_one_group_has_no_error() -> None:
    assert run_stderr(1, 1) is None
    assert clustered_stderr([Cluster(1, 2)]) is None
    assert mean_stderr_between([Fraction(1)]) is None
