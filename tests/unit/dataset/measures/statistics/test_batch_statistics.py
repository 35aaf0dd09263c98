"""All statistics of a batch: who stands in them, and that they follow from the definition and the runs alone."""

from __future__ import annotations

from dataset.canonical import canonical_bytes
from dataset.measures.group import measure_group
from dataset.measures.statistics.batch import BatchStatistics, measure_batch
from tests.factories import VARIANTS
from tests.unit.dataset.measures.statistics.outcome_grid import definition_of, runs_of

EN, ZH = (str(variant.id) for variant in VARIANTS[:2])
DEFINITION = definition_of(cases=12, repeats=2, models=("m", "n"))
ROWS = ["pp", "pf", "ff", "pp", "fp", "pi", "ff", "pp", "pf", "pp", "ii", "p "]
RUNS = [
    *runs_of(ROWS, variant=EN),
    *runs_of(ROWS[::-1], variant=ZH),
    *runs_of(["pp"] * 12, variant=EN, model="n"),
    *runs_of(["ff"] * 12, variant=ZH, model="n"),
]
FOUND = measure_batch(DEFINITION, RUNS)


def test_every_group_model_and_contrast_of_the_definition_stands_in_it() -> None:
    assert [(g.model_key, g.variant_id) for g in FOUND.groups] == [("m", EN), ("m", ZH), ("n", EN), ("n", ZH)]
    assert [m.model_key for m in FOUND.models] == ["m", "n"]
    assert [(c.id, c.model_key) for c in FOUND.contrasts] == [("language", "m"), ("language", "n")]
    assert [(r.of, r.model_key) for r in FOUND.rankings] == [("models", None), ("arms", "m"), ("arms", "n")]


def test_rates_are_those_of_the_report() -> None:
    own = [run for run in RUNS if (run.model_key, run.variant_id) == ("m", EN)]
    counted, rate = measure_group(24, own), FOUND.groups[0].rate
    assert (rate.planned, rate.valid, rate.passed) == (counted.planned, counted.valid, counted.passed) == (24, 20, 13)
    assert rate.pass_rate == counted.metrics["pass-rate"]
    assert (rate.wilson_low, rate.wilson_high) == (counted.pass_rate_low, counted.pass_rate_high)


def test_languages_of_a_case_are_one_cluster_and_two_tasks() -> None:
    model = FOUND.models[1]
    assert (model.rate.cases, model.rate.valid, model.rate.pass_rate) == (12, 48, "0.5000")
    # Each case passes in one language and fails in the other: cases don't differ, tasks do.
    assert model.rate.withheld["clustered_stderr"] == "no-variation"
    assert model.rate.stderr is not None
    assert [(r.pass_at_k, r.pass_hat_k) for r in model.rate.repeats] == [("0.5000", "0.5000")] * 2


def test_a_case_without_a_valid_run_withholds_pass_at_k_of_its_group_and_model() -> None:
    assert [r.withheld for r in FOUND.groups[0].rate.repeats] == ["missing-repeats"] * 2
    assert [r.withheld for r in FOUND.models[0].rate.repeats] == ["missing-repeats"] * 2
    assert [r.withheld for r in FOUND.groups[2].rate.repeats] == [None, None]


def intervals(found: BatchStatistics) -> list[tuple[str | None, str | None]]:
    rates = [*(group.rate for group in found.groups), *(model.rate for model in found.models)]
    return [(rate.bootstrap_low, rate.bootstrap_high) for rate in rates]


def test_the_order_of_runs_does_not_count_and_the_definition_does() -> None:
    assert measure_batch(DEFINITION, RUNS[::-1]) == FOUND
    other = measure_batch(definition_of(cases=12, repeats=3, models=("m", "n")), RUNS)
    assert [c.clustered_stderr for c in other.contrasts] == [c.clustered_stderr for c in FOUND.contrasts]
    assert intervals(other) != intervals(FOUND)


def test_they_read_back_from_their_canonical_bytes() -> None:
    assert BatchStatistics.model_validate_json(canonical_bytes(FOUND.body()), strict=True) == FOUND


def test_a_batch_without_a_run_has_statistics_that_say_so() -> None:
    found = measure_batch(DEFINITION, [])
    assert {group.rate.withheld["pass_rate"] for group in found.groups} == {"no-valid-run"}
    assert {contrast.pairs for contrast in found.contrasts} == {0}
    assert {ranking.tested for ranking in found.rankings} == {0}


def test_one_model_with_one_arm_has_no_ranking_and_no_contrast() -> None:
    found = measure_batch(definition_of(cases=1, arms=1), runs_of(["p"], variant=EN))
    assert (found.rankings, found.contrasts) == ((), ())


def test_ten_thousand_runs_are_measured_in_full() -> None:
    rows = ["".join("pf"[(case * 7 + repeat * case) % 3 == 0] for repeat in range(5)) for case in range(500)]
    runs = [
        run
        for m in ("m", "n")
        for v in (EN, ZH)
        for run in runs_of(rows if v == EN else rows[::-1], variant=v, model=m)
    ]
    found = measure_batch(definition_of(cases=500, repeats=5, models=("m", "n")), runs)
    assert len(runs) == 10_000
    assert not any(group.rate.withheld for group in found.groups)
    assert all(contrast.significant is not None for contrast in found.contrasts)
