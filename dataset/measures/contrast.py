"""Two arms on the same cases: only runs that are valid on both sides are compared."""

from __future__ import annotations

from collections.abc import Sequence

from dataset.artifacts.artifact import Count
from dataset.measures.interval import in_text, paired_difference
from dataset.measures.run_facts import RunFacts
from dataset.questions.template import ArmVariants, Contrast
from dataset.record import DecimalText, Record, Slug


class ContrastMeasures(Record):
    """The paired comparison of two variants for one model. `difference` is treatment minus baseline pass rate;
    it and its interval are null with too few pairs."""

    id: Slug
    model_key: Slug
    baseline: ArmVariants
    treatment: ArmVariants
    pairs: Count
    both_passed: Count
    only_baseline: Count
    only_treatment: Count
    neither: Count
    difference: DecimalText | None
    difference_low: DecimalText | None
    difference_high: DecimalText | None


def measure_contrast(contrast: Contrast, *, model_key: str, runs: Sequence[RunFacts]) -> ContrastMeasures:
    """The contrast over one model's runs, paired by case and repeat."""
    outcomes = [(left, right) for _, left, right in paired_outcomes(contrast, model_key=model_key, runs=runs)]
    only_baseline, only_treatment = outcomes.count((True, False)), outcomes.count((False, True))
    found = paired_difference(only_treatment, only_baseline, len(outcomes))
    difference, low, high = found or (None, None, None)
    return ContrastMeasures(
        id=contrast.id,
        model_key=model_key,
        baseline=contrast.baseline,
        treatment=contrast.treatment,
        pairs=len(outcomes),
        both_passed=outcomes.count((True, True)),
        only_baseline=only_baseline,
        only_treatment=only_treatment,
        neither=outcomes.count((False, False)),
        difference=in_text(difference),
        difference_low=in_text(low),
        difference_high=in_text(high),
    )


def paired_outcomes(contrast: Contrast, *, model_key: str, runs: Sequence[RunFacts]) -> list[tuple[str, bool, bool]]:
    """The case, and whether baseline and treatment passed, of each pair of runs that is valid on both sides."""
    passed = {
        (run.variant_id, run.case_id, run.repeat): run.verdict == "pass"
        for run in runs
        if run.model_key == model_key and run.verdict != "invalid"
    }
    found = []
    for baseline, treatment in contrast.pairs:
        for variant, case, repeat in sorted(key for key in passed if key[0] == baseline):
            other = passed.get((treatment, case, repeat))
            if other is not None:
                found.append((case, passed[variant, case, repeat], other))
    return found
