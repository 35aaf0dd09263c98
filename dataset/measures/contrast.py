"""Two arms on the same cases: only runs that are valid on both sides are compared."""

from __future__ import annotations

from collections.abc import Sequence

from dataset.artifacts.artifact import Count
from dataset.measures.interval import in_text, paired_difference
from dataset.measures.run_facts import RunFacts
from dataset.record import DecimalText, Record, Slug


class ContrastMeasures(Record):
    """The paired comparison of two variants for one model. `difference` is treatment minus baseline pass rate;
    it and its interval are null with too few pairs."""

    id: Slug
    model_key: Slug
    baseline: Slug
    treatment: Slug
    pairs: Count
    both_passed: Count
    only_baseline: Count
    only_treatment: Count
    neither: Count
    difference: DecimalText | None
    difference_low: DecimalText | None
    difference_high: DecimalText | None


def measure_contrast(
    *, contrast_id: str, model_key: str, baseline: str, treatment: str, runs: Sequence[RunFacts]
) -> ContrastMeasures:
    """The contrast over one model's runs, paired by case and repeat."""
    own = [run for run in runs if run.model_key == model_key and run.verdict != "invalid"]
    left = {(r.case_id, r.repeat): r.verdict == "pass" for r in own if r.variant_id == baseline}
    right = {(r.case_id, r.repeat): r.verdict == "pass" for r in own if r.variant_id == treatment}
    outcomes = [(left[key], right[key]) for key in sorted(left.keys() & right.keys())]
    only_baseline, only_treatment = outcomes.count((True, False)), outcomes.count((False, True))
    found = paired_difference(only_treatment, only_baseline, len(outcomes))
    difference, low, high = found or (None, None, None)
    return ContrastMeasures(
        id=contrast_id,
        model_key=model_key,
        baseline=baseline,
        treatment=treatment,
        pairs=len(outcomes),
        both_passed=outcomes.count((True, True)),
        only_baseline=only_baseline,
        only_treatment=only_treatment,
        neither=outcomes.count((False, False)),
        difference=in_text(difference),
        difference_low=in_text(low),
        difference_high=in_text(high),
    )
