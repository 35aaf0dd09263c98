"""The statistics of one group, and when each of them is withheld."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from dataset.measures.statistics.bootstrap import bootstrap_seed
from dataset.measures.statistics.cluster import Cluster
from dataset.measures.statistics.evidence import REASONS
from dataset.measures.statistics.rate import RateStatistics, measure_rate, variant_mean

SEED = bootstrap_seed("0" * 64)
CLUSTERED = ("clustered_stderr", "bootstrap_low", "bootstrap_high")


def measured(cases: Sequence[tuple[int, int]], planned: int = 100) -> RateStatistics:
    by_case = {f"case-{at:03d}": Cluster(*case) for at, case in enumerate(cases)}
    return measure_rate(by_case, planned=planned, planned_cases=len(cases), repeats=(), seed=SEED)


def test_ten_cases_have_every_number() -> None:
    found = measured([(1, 2)] * 5 + [(2, 2)] * 3 + [(0, 2)] * 2)
    assert (found.valid, found.passed, found.cases, found.pass_rate) == (20, 11, 10, "0.5500")
    assert found.withheld == {}
    assert found.case_mean.withheld == {}
    assert found.stderr == "0.114133"
    assert found.clustered_stderr == found.case_mean.stderr_between == "0.116667"


def test_no_valid_run_has_no_number_at_all() -> None:
    found = measured([])
    assert found.pass_rate is found.wilson_low is found.stderr is found.bootstrap_low is None
    assert set(found.withheld.values()) == {"no-valid-run"}
    assert found.case_mean.mean is None
    assert set(found.case_mean.withheld.values()) == {"no-valid-run"}


@pytest.mark.parametrize("passed", [0, 1])
def test_all_alike_has_an_interval_by_wilson_and_no_error_of_zero(passed: int) -> None:
    found = measured([(passed, 1)] * 20)
    assert found.wilson_low != found.wilson_high
    assert found.withheld == dict.fromkeys(("stderr", *CLUSTERED), "no-variation")
    assert (found.stderr, found.clustered_stderr, found.bootstrap_low) == (None, None, None)


def test_nine_cases_say_nothing_of_others_however_many_their_runs() -> None:
    found = measured([(1, 8), (5, 8), *[(3, 8)] * 7])
    assert found.stderr is not None
    assert {name: found.withheld[name] for name in CLUSTERED} == dict.fromkeys(CLUSTERED, "too-few-cases")
    assert found.case_mean.withheld == {"stderr_between": "too-few-cases"}


def test_one_case_has_a_rate_and_a_wilson_interval_only() -> None:
    found = measured([(1, 3)])
    assert (found.pass_rate, found.wilson_low) == ("0.3333", "0.0615")
    assert found.withheld == {"stderr": "too-few-runs", **dict.fromkeys(CLUSTERED, "too-few-cases")}


def test_a_mean_of_cases_weighs_each_alike_where_repeats_are_unequal() -> None:
    found = measured([(9, 9), *[(0, 1)] * 9])
    assert (found.pass_rate, found.case_mean.mean) == ("0.5000", "0.1000")
    assert found.case_mean.withheld == {"stderr_within": "single-repeat"}


def test_a_mean_of_variants_takes_the_clustered_error_of_each() -> None:
    variant = [Cluster(at % 2, 1) for at in range(10)]
    found = variant_mean([variant, variant, []], planned=3)
    # sqrt(2 se²) / 2 with se = sqrt(0.25 / 9)
    assert (found.groups, found.planned, found.mean, found.stderr_within) == (2, 3, "0.5000", "0.117851")
    assert found.withheld == {"stderr_between": "too-few-variants"}


def test_variants_with_too_few_cases_have_no_error() -> None:
    found = variant_mean([[Cluster(1, 1)] * 9, [Cluster(at % 2, 1) for at in range(10)]], planned=2)
    assert found.withheld["stderr_within"] == "too-few-cases"


def test_too_little_evidence_is_said_in_these_words() -> None:
    few = {reason: text for reason, text in REASONS.items() if reason.startswith("too-few")}
    assert {text.split(":")[0] for text in few.values()} == {"not enough evidence"}
