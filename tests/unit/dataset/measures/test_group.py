"""Group measures: fixed denominators, unknown is never zero, every kind of run stays visible."""

from __future__ import annotations

from typing import Any

from dataset.artifacts.artifact import Cost
from dataset.measures.contrast import measure_contrast
from dataset.measures.group import measure_group
from dataset.measures.metric import METRIC_BY_ID, METRICS, is_measured
from dataset.measures.run_facts import RunFacts, reason_kind
from dataset.questions.template import Contrast
from dataset.record import Localised, VariantId

CONTRAST = Contrast(id="c", title=Localised(en="c", zh="c"), baseline=VariantId("arm-a"), treatment=VariantId("arm-b"))


def facts(**changes: Any) -> RunFacts:
    """Facts of one passing run of model `m`, with changes."""
    base: dict[str, Any] = {
        "run_id": "b-0001",
        "artifact_hash": "0" * 64,
        "model_key": "m",
        "case_id": "case-a",
        "variant_id": "arm-a",
        "repeat": 1,
        "verdict": "pass",
        "failure_reasons": (),
        "invalid_reason": None,
        "corrections": 0,
        "model_steps": 2,
        "tool_calls": 1,
        "refused_calls": 0,
        "latency_ms": 100,
        "input_tokens": 10,
        "output_tokens": 5,
        "cost": Cost(amount="0.5", currency="USD"),
    }
    return RunFacts.model_validate({**base, **changes})


def test_a_missing_and_an_invalid_run_stay_in_the_denominator() -> None:
    runs = [facts(), facts(verdict="fail"), facts(verdict="invalid", invalid_reason="rate_limited")]
    found = measure_group(4, runs)
    assert (found.planned, found.recorded, found.valid, found.passed, found.failed, found.invalid) == (4, 3, 2, 1, 1, 2)
    assert found.metrics["pass-rate"] == "0.5000"
    assert found.metrics["valid-rate"] == "0.5000"
    assert found.metrics["worst-case"] == "0.2500"
    assert found.metrics["best-case"] == "0.7500"
    assert found.invalid_reasons == {"rate_limited": 1}


def test_a_group_without_a_valid_run_has_no_pass_rate() -> None:
    found = measure_group(2, [facts(verdict="invalid", invalid_reason="network_error", latency_ms=7)])
    assert found.metrics["pass-rate"] is None
    assert found.pass_rate_low is None
    assert found.metrics["latency-median"] is None
    assert found.metrics["worst-case"] == "0.0000"


def test_one_unknown_token_count_or_cost_makes_the_whole_unknown_never_zero() -> None:
    found = measure_group(2, [facts(), facts(input_tokens=None, cost=None)])
    assert found.metrics["input-tokens"] is None
    assert found.metrics["output-tokens"] == "5.00"
    assert found.metrics["cost"] is None
    assert found.currency is None


def test_costs_in_two_currencies_are_not_added() -> None:
    found = measure_group(2, [facts(), facts(cost=Cost(amount="1", currency="CNY"))])
    assert found.metrics["cost"] is None


def test_cost_is_added_without_rounding() -> None:
    found = measure_group(3, [facts(cost=Cost(amount="0.0000001", currency="USD"))] * 3)
    assert found.metrics["cost"] == "0.0000003"


def test_median_of_an_even_number_is_the_mean_of_the_middle_two() -> None:
    found = measure_group(4, [facts(latency_ms=n) for n in (10, 40, 20, 31)])
    assert found.metrics["latency-median"] == "25.50"


def test_failure_reasons_are_counted_by_kind_once_a_run() -> None:
    runs = [facts(verdict="fail", failure_reasons=("answer.number.nav", "tool.must.1-fund_nav", "answer.number.nav"))]
    assert measure_group(1, runs).failure_reasons == {"answer.number": 1, "tool.must": 1}
    assert reason_kind("answer.given") == "answer.given"


def test_every_metric_is_measured_and_every_measure_is_defined() -> None:
    budgeted = facts(original_tokens=100, working_tokens=50)
    assert set(measure_group(1, [budgeted]).metrics) == set(METRIC_BY_ID)
    assert len(METRIC_BY_ID) == len(METRICS)


def test_a_group_whose_runs_carry_no_context_has_no_metric_of_it_and_all_others() -> None:
    found = set(measure_group(1, [facts()]).metrics)
    assert found == {metric.id for metric in METRICS if metric.always}
    assert is_measured(found)
    assert not is_measured(found - {"cost"})
    assert not is_measured(found | {"made-up"})


def test_context_is_a_mean_of_tokens_and_a_share_of_sums() -> None:
    runs = [facts(original_tokens=100, working_tokens=50), facts(original_tokens=300, working_tokens=51)]
    found = measure_group(2, runs).metrics
    assert (found["context-tokens"], found["context-share"]) == ("50.50", "0.2525")


def test_a_context_that_was_never_opened_is_not_taken_for_a_cheap_one() -> None:
    found = measure_group(2, [facts(original_tokens=100, working_tokens=50), facts(original_tokens=900)]).metrics
    assert (found["context-tokens"], found["context-share"]) == ("50.00", "0.5000")


def test_a_group_without_an_opened_context_has_no_size_of_one() -> None:
    found = measure_group(1, [facts(original_tokens=900)]).metrics
    assert (found["context-tokens"], found["context-share"]) == (None, None)


def test_an_opening_without_any_item_has_no_share() -> None:
    found = measure_group(1, [facts(original_tokens=0, working_tokens=0)]).metrics
    assert (found["context-tokens"], found["context-share"]) == ("0.00", None)


def test_a_contrast_compares_only_runs_that_are_valid_on_both_sides() -> None:
    def arm(variant: str, verdicts: str) -> list[RunFacts]:
        names = {"p": "pass", "f": "fail", "i": "invalid"}
        return [
            facts(variant_id=variant, case_id=f"case-{n}", verdict=names[verdict]) for n, verdict in enumerate(verdicts)
        ]

    runs = arm("arm-a", "ppppppffffip") + arm("arm-b", "pppfffppppp")
    found = measure_contrast(CONTRAST, model_key="m", runs=runs)
    assert (found.pairs, found.both_passed, found.only_baseline, found.only_treatment, found.neither) == (
        10,
        3,
        3,
        4,
        0,
    )
    assert found.difference == "0.1000"
    assert found.difference_low is not None


def test_a_contrast_of_another_model_is_not_mixed_in() -> None:
    runs = [facts(), facts(variant_id="arm-b", model_key="other")]
    found = measure_contrast(CONTRAST, model_key="m", runs=runs)
    assert (found.pairs, found.difference) == (0, None)


def test_arms_of_several_variants_pair_each_with_its_counterpart() -> None:
    contrast = Contrast(
        id="c",
        title=Localised(en="c", zh="c"),
        baseline=(VariantId("a-en"), VariantId("a-zh")),
        treatment=(VariantId("b-en"), VariantId("b-zh")),
    )
    runs = [
        facts(variant_id="a-en", verdict="pass"),
        facts(variant_id="b-en", verdict="fail"),
        facts(variant_id="a-zh", verdict="fail"),
        facts(variant_id="b-zh", verdict="pass"),
        facts(variant_id="a-zh", case_id="case-b", verdict="pass"),
        facts(variant_id="b-en", case_id="case-b", verdict="pass"),
    ]
    found = measure_contrast(contrast, model_key="m", runs=runs)
    assert (found.pairs, found.only_baseline, found.only_treatment) == (2, 1, 1)
    assert (found.baseline, found.treatment) == (("a-en", "a-zh"), ("b-en", "b-zh"))
