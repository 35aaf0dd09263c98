"""Columns of a group of runs: its counts, and every metric there is."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from dataset.measures.group import GroupMeasures
from dataset.measures.metric import METRICS, Metric
from publisher.exports.tables.interface import Column

R = TypeVar("R")
_COUNTS = {
    "planned": "Runs that were promised before the first one started: the fixed denominator.",
    "recorded": "Planned runs that left an artifact.",
    "valid": "Runs that can be judged.",
    "passed": "Valid runs whose every assertion held.",
    "failed": "Valid runs with an assertion that didn't hold.",
    "invalid": "Planned runs that aren't valid: broken, given up, missing or withdrawn.",
}
_UNITS = {
    "share": "a share from 0 to 1",
    "ms": "milliseconds",
    "tokens": "tokens",
    "count": "a mean count",
    "money": "an amount in `cost_currency`",
}


def measure_columns(measures: Callable[[R], GroupMeasures]) -> tuple[Column[R], ...]:
    """The columns of the measures that a record has."""
    return (
        *(_count(name, description, measures) for name, description in _COUNTS.items()),
        Column(
            name="pass_rate_low",
            kind="decimal",
            description="Lower end of the 95 % Wilson score interval of the pass rate.",
            value=lambda record: measures(record).pass_rate_low,
        ),
        Column(
            name="pass_rate_high",
            kind="decimal",
            description="Upper end of it.",
            value=lambda record: measures(record).pass_rate_high,
        ),
        *(_metric(metric, measures) for metric in METRICS),
        Column(
            name="cost_currency",
            kind="text",
            description="The currency of `cost`; empty where the cost is unknown.",
            value=lambda record: measures(record).currency,
        ),
    )


def _count(name: str, description: str, measures: Callable[[R], GroupMeasures]) -> Column[R]:
    return Column(
        name=name, kind="integer", description=description, value=lambda record: int(getattr(measures(record), name))
    )


def _metric(metric: Metric, measures: Callable[[R], GroupMeasures]) -> Column[R]:
    return Column(
        name=metric.id.replace("-", "_"),
        kind="decimal",
        description=f"{metric.title}, {_UNITS[metric.unit]}: {metric.formula}.",
        value=lambda record: measures(record).metrics.get(metric.id),
    )
