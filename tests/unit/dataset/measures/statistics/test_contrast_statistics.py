"""What a contrast shows: pairs of cases, adjusted p-values, and silence where the evidence is too little."""

from __future__ import annotations

from collections.abc import Sequence

from dataset.measures.contrast import measure_contrast
from dataset.measures.run_facts import RunFacts
from dataset.measures.statistics.bootstrap import bootstrap_seed
from dataset.measures.statistics.contrast import ContrastStatistics, measure_contrasts
from tests.unit.dataset.measures.statistics.outcome_grid import CONTRAST, runs_of

SEED = bootstrap_seed("0" * 64)


def arms(baseline: Sequence[str], treatment: Sequence[str], model: str = "m") -> list[RunFacts]:
    return [
        *runs_of(baseline, variant=str(CONTRAST.baseline), model=model),
        *runs_of(treatment, variant=str(CONTRAST.treatment), model=model),
    ]


def measured(baseline: Sequence[str], treatment: Sequence[str]) -> ContrastStatistics:
    (found,) = measure_contrasts([CONTRAST], runs_by_model=[("m", arms(baseline, treatment))], seed=SEED)
    return found


def test_one_pair_a_case_gives_both_tests_the_same_p() -> None:
    found = measured(["f"] * 11 + ["p"] * 4, ["p"] * 9 + ["f"] * 2 + ["f"] * 2 + ["p"] * 2)
    assert (found.pairs, found.cases, found.difference) == (15, 15, "0.4667")
    assert found.mcnemar_p == found.permutation_p == "0.065430"
    assert (found.significant, found.design_effect) == (False, "1.0000")
    assert found.withheld == {}


def test_its_difference_and_interval_are_those_of_the_report() -> None:
    rows = ["pf"] * 6 + ["ff"] * 6, ["pp"] * 6 + ["pf"] * 6
    found, counted = measured(*rows), measure_contrast(CONTRAST, model_key="m", runs=arms(*rows))
    assert (found.pairs, found.difference) == (counted.pairs, counted.difference)
    assert (found.difference_low, found.difference_high) == (counted.difference_low, counted.difference_high)


def test_repeats_of_a_case_that_all_say_the_same_count_once() -> None:
    found = measured(["ffff"] * 4 + ["pppp"] * 8, ["pppp"] * 4 + ["pppp"] * 8)
    assert (found.mcnemar_p, found.permutation_p) == ("0.000031", "0.125000")
    assert found.significant is False
    assert found.design_effect == "4.2727"


def test_nine_pairs_are_not_enough_evidence_for_anything() -> None:
    found = measured(["f"] * 9, ["p"] * 9)
    assert set(found.withheld.values()) == {"too-few-pairs", "too-few-cases"}
    shown = found.body()
    assert isinstance(shown, dict)
    assert {name for name, value in shown.items() if value is None} == set(found.withheld)


def test_many_pairs_of_few_cases_speak_of_these_cases_only() -> None:
    found = measured(["ffffff"] * 3, ["pppppp"] * 3)
    assert (found.difference, found.mcnemar_p) == ("1.0000", "0.000008")
    assert found.significant is None
    assert found.permutation_p is found.minimum_detectable is found.bootstrap_low is None
    assert set(found.withheld.values()) == {"too-few-cases"}


def test_arms_that_never_differ_have_no_spread_and_still_a_detectable_effect() -> None:
    found = measured(["pp"] * 20, ["pp"] * 20)
    assert (found.mcnemar_p, found.permutation_p, found.significant) == ("1.000000", "1.000000", False)
    assert found.withheld == dict.fromkeys(("clustered_stderr", "bootstrap_low", "bootstrap_high"), "no-variation")
    # 40 pairs in which nothing differs can't say how alike the two of a case are: they count as 20.
    assert (found.design_effect, found.minimum_detectable) == ("2.0000", "0.3483")


def test_an_invalid_run_on_one_side_takes_its_pair_away() -> None:
    found = measured(["pi"] * 12, ["pp"] * 11 + ["if"])
    assert (found.pairs, found.cases) == (11, 11)


def test_p_values_are_adjusted_over_contrasts_and_models_that_have_one() -> None:
    strong, none = (["f"] * 12, ["p"] * 12), (["f"] * 9, ["p"] * 9)
    runs = [(model, arms(*rows, model)) for model, rows in (("a", strong), ("b", strong), ("c", none))]
    a, b, c = measure_contrasts([CONTRAST], runs_by_model=runs, seed=SEED)
    assert [found.permutation_p for found in (a, b, c)] == ["0.000488", "0.000488", None]
    assert [found.permutation_p_holm for found in (a, b, c)] == ["0.000977", "0.000977", None]
    assert [found.significant for found in (a, b, c)] == [True, True, None]
