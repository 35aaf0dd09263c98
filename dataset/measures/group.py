"""The numbers of a group of runs: one model and variant, one model, or any other set with a fixed denominator."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from decimal import Decimal

from dataset.artifacts.artifact import Cost, Count
from dataset.measures.interval import in_text, share, wilson
from dataset.measures.rounding import rounded
from dataset.measures.run_facts import RunFacts, reason_kind
from dataset.record import DecimalText, Record


class GroupMeasures(Record):
    """Every metric of `dataset.measures.metric` for one group, with counts. `planned` is fixed before a run starts.

    Values are decimal text; null is unknown, never 0. `metrics` holds the metric ids that every group has, and others
    where its runs carry what they need.
    """

    planned: Count
    recorded: Count
    valid: Count
    passed: Count
    failed: Count
    invalid: Count
    """Planned runs that aren't valid: broken, given up, or missing."""
    pass_rate_low: DecimalText | None
    pass_rate_high: DecimalText | None
    metrics: dict[str, DecimalText | None]
    currency: str | None
    failure_reasons: dict[str, Count]
    invalid_reasons: dict[str, Count]


def measure_group(planned: int, runs: Sequence[RunFacts]) -> GroupMeasures:
    """The measures of a group with `planned` promised runs, of which `runs` are recorded."""
    valid = [run for run in runs if run.verdict != "invalid"]
    passed = sum(1 for run in valid if run.verdict == "pass")
    interval = wilson(passed, len(valid))
    cost = _total_cost(runs)
    return GroupMeasures(
        planned=planned,
        recorded=len(runs),
        valid=len(valid),
        passed=passed,
        failed=len(valid) - passed,
        invalid=planned - len(valid),
        pass_rate_low=in_text(interval[0]) if interval else None,
        pass_rate_high=in_text(interval[1]) if interval else None,
        metrics={
            **_rates(planned, len(valid), passed),
            **_means(valid),
            **(_context(valid) if any(run.original_tokens is not None for run in runs) else {}),
            "cost": cost.amount if cost else None,
        },
        currency=cost.currency if cost else None,
        failure_reasons=_tally([reason_kind(reason) for run in valid for reason in set(run.failure_reasons)]),
        invalid_reasons=_tally([run.invalid_reason or "unknown" for run in runs if run.verdict == "invalid"]),
    )


def _rates(planned: int, valid: int, passed: int) -> dict[str, DecimalText | None]:
    return {
        "pass-rate": in_text(share(passed, valid)),
        "valid-rate": in_text(share(valid, planned)),
        "worst-case": in_text(share(passed, planned)),
        "best-case": in_text(share(passed + planned - valid, planned)),
    }


def _means(valid: Sequence[RunFacts]) -> dict[str, DecimalText | None]:
    return {
        "corrections": _mean([run.corrections for run in valid]),
        "refused-calls": _mean([run.refused_calls for run in valid]),
        "tool-calls-mean": _mean([run.tool_calls for run in valid]),
        "steps-mean": _mean([run.model_steps for run in valid]),
        "latency-median": _median([run.latency_ms for run in valid]),
        "input-tokens": _mean([run.input_tokens for run in valid]),
        "output-tokens": _mean([run.output_tokens for run in valid]),
    }


def _context(valid: Sequence[RunFacts]) -> dict[str, DecimalText | None]:
    """Of the runs whose context was opened: one that didn't fit would look cheap."""
    opened = [
        (run.working_tokens, run.original_tokens)
        for run in valid
        if run.working_tokens is not None and run.original_tokens is not None
    ]
    working, original = [tokens for tokens, _ in opened], sum(tokens for _, tokens in opened)
    return {"context-tokens": _mean(working), "context-share": in_text(share(sum(working), original))}


def _mean(values: Sequence[int | None]) -> DecimalText | None:
    known = [value for value in values if value is not None]
    if not values or len(known) != len(values):
        return None
    return _two_places(Decimal(sum(known)) / len(known))


def _median(values: Sequence[int]) -> DecimalText | None:
    if not values:
        return None
    ordered = sorted(values)
    middle = len(ordered) // 2
    if len(ordered) % 2:
        return _two_places(Decimal(ordered[middle]))
    return _two_places(Decimal(ordered[middle - 1] + ordered[middle]) / 2)


def _two_places(value: Decimal) -> DecimalText:
    return format(rounded(value, Decimal("0.01")), "f")


def _total_cost(runs: Sequence[RunFacts]) -> Cost | None:
    costs = [run.cost for run in runs]
    known = [cost for cost in costs if cost is not None]
    if not known or len(known) != len(costs) or len({cost.currency for cost in known}) != 1:
        return None
    total = sum((Decimal(cost.amount) for cost in known), Decimal(0))
    return Cost(amount=format(total, "f"), currency=known[0].currency)


def _tally(reasons: Sequence[str]) -> dict[str, Count]:
    return dict(sorted(Counter(reasons).items()))
