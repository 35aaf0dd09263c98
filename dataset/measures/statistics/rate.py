"""The pass rate of a group of runs with everything that says how far to trust it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction

from dataset.artifacts.artifact import Count
from dataset.measures.interval import Z_95, in_text, share, wilson
from dataset.measures.statistics.bootstrap import cluster_bootstrap
from dataset.measures.statistics.cluster import (
    Cluster,
    clustered_stderr,
    decimal_of,
    mean_stderr_between,
    mean_stderr_within,
    run_stderr,
)
from dataset.measures.statistics.evidence import MIN_CASES, MIN_RUNS, Withheld, six_places
from dataset.measures.statistics.repeats import RepeatStatistics
from dataset.record import DecimalText, Record


class GroupMean(Record):
    """An unweighted mean of pass rates over groups (cases or variants), however many runs each has.

    `groups` have a valid run. `stderr_within` is the error where exactly these groups are meant and only runs vary;
    `stderr_between` where they stand for others like them.
    """

    groups: Count
    planned: Count
    mean: DecimalText | None
    stderr_within: DecimalText | None
    stderr_between: DecimalText | None
    withheld: dict[str, Withheld]
    """Why a field is null, by its name."""


class RateStatistics(Record):
    """One model, or one model and variant. Rates and intervals have four places, standard errors six.

    `stderr` and the Wilson interval take runs as independent; `clustered_stderr` and the bootstrap interval only cases.
    """

    planned: Count
    valid: Count
    passed: Count
    cases: Count
    """Cases with a valid run."""
    pass_rate: DecimalText | None
    wilson_low: DecimalText | None
    wilson_high: DecimalText | None
    stderr: DecimalText | None
    clustered_stderr: DecimalText | None
    bootstrap_low: DecimalText | None
    bootstrap_high: DecimalText | None
    case_mean: GroupMean
    repeats: tuple[RepeatStatistics, ...]
    withheld: dict[str, Withheld]
    """Why a field is null, by its name."""


def measure_rate(
    by_case: Mapping[str, Cluster],
    *,
    planned: int,
    planned_cases: int,
    repeats: tuple[RepeatStatistics, ...],
    seed: bytes,
) -> RateStatistics:
    """The statistics of a group of `planned` runs over `planned_cases` cases, of which these are valid."""
    clusters = list(by_case.values())
    passed, valid = sum(c.total for c in clusters), sum(c.runs for c in clusters)
    interval, reasons = wilson(passed, valid), _rate_reasons(clusters, passed, valid)
    low, high = (None, None) if "bootstrap_low" in reasons else cluster_bootstrap(clusters, seed)
    return RateStatistics(
        planned=planned,
        valid=valid,
        passed=passed,
        cases=len(clusters),
        pass_rate=in_text(share(passed, valid)),
        wilson_low=in_text(interval[0]) if interval else None,
        wilson_high=in_text(interval[1]) if interval else None,
        stderr=None if "stderr" in reasons else six_places(run_stderr(passed, valid)),
        clustered_stderr=None if "clustered_stderr" in reasons else six_places(clustered_stderr(clusters)),
        bootstrap_low=in_text(low),
        bootstrap_high=in_text(high),
        case_mean=case_mean(clusters, planned=planned_cases),
        repeats=repeats,
        withheld=reasons,
    )


def half_width(by_case: Sequence[Cluster]) -> Decimal | None:
    """How far at most a pass rate is expected from that of cases like these: half of a 95 % interval that takes only
    cases as independent. None where there are too few of them.

    1.96 clustered standard errors, but no less than half the Wilson interval of independent runs; where all cases come
    out alike, so that their spread is unknown, half the Wilson interval of as many runs as there are cases.
    """
    if len(by_case) < MIN_CASES:
        return None
    passed, valid = sum(c.total for c in by_case), sum(c.runs for c in by_case)
    if not varies(by_case):
        return _half(wilson(round(Fraction(passed * len(by_case), valid)), len(by_case)))
    error = clustered_stderr(by_case)
    return max(_half(wilson(passed, valid)), Z_95 * error if error is not None else Decimal(0))


def _half(interval: tuple[Decimal, Decimal] | None) -> Decimal:
    return (interval[1] - interval[0]) / 2 if interval is not None else Decimal(1)


def case_mean(cases: Sequence[Cluster], *, planned: int) -> GroupMean:
    """The mean over cases; the error within a case is that of its own runs."""
    enough = sum(c.runs for c in cases) >= MIN_RUNS
    within: Withheld | None = None if enough else "too-few-runs"
    if enough and min(c.runs for c in cases) < 2:
        within = "single-repeat"
    variances = [Fraction(c.total * (c.runs - c.total), c.runs**2 * (c.runs - 1)) for c in cases if c.runs > 1]
    return _group_mean([Fraction(*c) for c in cases], variances, within, few="too-few-cases", planned=planned)


def variant_mean(variants: Sequence[Sequence[Cluster]], *, planned: int) -> GroupMean:
    """The mean over variants, each with its valid runs by case; the error within one is its clustered one.

    Variants that share their cases aren't independent, so `stderr_within` is too small where a case that is hard in one
    is hard in all: the model's own `clustered_stderr` holds that too.
    """
    given = [clusters for clusters in variants if clusters]
    errors = [clustered_stderr(clusters) for clusters in given if len(clusters) >= MIN_CASES]
    within: Withheld | None = None if len(errors) == len(given) else "too-few-cases"
    means = [Fraction(sum(c.total for c in g), sum(c.runs for c in g)) for g in given]
    variances = [error * error for error in errors if error is not None]
    return _group_mean(means, variances, within, few="too-few-variants", planned=planned)


def _group_mean(
    means: Sequence[Fraction],
    variances: Sequence[Fraction] | Sequence[Decimal],
    within: Withheld | None,
    *,
    few: Withheld,
    planned: int,
) -> GroupMean:
    reasons: dict[str, Withheld] = {}
    if not means:
        reasons = dict.fromkeys(("mean", "stderr_within", "stderr_between"), "no-valid-run")
    else:
        if within is not None:
            reasons["stderr_within"] = within
        elif not any(variances):
            reasons["stderr_within"] = "no-variation"
        if len(means) < MIN_CASES:
            reasons["stderr_between"] = few
        elif len(set(means)) == 1:
            reasons["stderr_between"] = "no-variation"
    return GroupMean(
        groups=len(means),
        planned=planned,
        mean=in_text(decimal_of(sum(means, Fraction(0)) / len(means))) if means else None,
        stderr_within=None if "stderr_within" in reasons else six_places(mean_stderr_within(variances)),
        stderr_between=None if "stderr_between" in reasons else six_places(mean_stderr_between(means)),
        withheld=reasons,
    )


def _rate_reasons(clusters: Sequence[Cluster], passed: int, valid: int) -> dict[str, Withheld]:
    clustered = ("clustered_stderr", "bootstrap_low", "bootstrap_high")
    if not valid:
        return dict.fromkeys(("pass_rate", "wilson_low", "wilson_high", "stderr", *clustered), "no-valid-run")
    reasons: dict[str, Withheld] = {}
    if valid < MIN_RUNS:
        reasons["stderr"] = "too-few-runs"
    elif passed in (0, valid):
        reasons["stderr"] = "no-variation"
    if len(clusters) < MIN_CASES:
        reasons.update(dict.fromkeys(clustered, "too-few-cases"))
    elif not varies(clusters):
        reasons.update(dict.fromkeys(clustered, "no-variation"))
    return reasons


def varies(clusters: Sequence[Cluster]) -> bool:
    """Whether clusters differ in their means: without that, drawing them anew shows no spread."""
    return len({Fraction(*cluster) for cluster in clusters}) > 1
