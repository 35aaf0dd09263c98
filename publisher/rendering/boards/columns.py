"""The columns of the leaderboard that tables can be sorted by, each a metric with its value for a row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

from dataset.measures.latency import latency_p95
from dataset.measures.metric import DERIVED_METRICS, METRIC_BY_ID, Metric
from dataset.measures.run_price import cost_per_hundred
from publisher.rendering.boards.board import Row
from publisher.rendering.figures import Figure, duration, figure, money
from publisher.rendering.language.message import Message

_DERIVED = {metric.id: metric for metric in DERIVED_METRICS}


@dataclass(frozen=True, kw_only=True, slots=True)
class Column:
    """One column. `key` names it in addresses, of pages and of what a reader chose; `figure` is its value for a row."""

    key: str
    metric: Metric
    figure: Callable[[Row], Figure]

    @property
    def falling(self) -> bool:
        """Whether the best stand first when the highest do."""
        return self.metric.better == "higher"


def _reported(key: str, metric_id: str) -> Column:
    return Column(key=key, metric=METRIC_BY_ID[metric_id], figure=lambda row: figure(metric_id, row.measures))


def cost_figure(row: Row) -> Figure:
    """What a hundred runs of a row cost."""
    metric, value = _DERIVED["cost-per-100"], cost_per_hundred(row.measures)
    text = Message(metric.missing) if value is None else money(value, row.measures.currency or "")
    return Figure(metric=metric, value=value, text=text)


def p95_figure(row: Row) -> Figure:
    """The latency that few runs of a row exceed."""
    metric, value = _DERIVED["latency-p95"], latency_p95(row.runs)
    if value is None:
        return Figure(metric=metric, value=None, text=Message(metric.missing))
    return Figure(metric=metric, value=str(value), text=duration(value))


RATE = _reported("rate", "pass-rate")
VALID = _reported("valid", "valid-rate")
COST = Column(key="cost", metric=_DERIVED["cost-per-100"], figure=cost_figure)
LATENCY = _reported("latency", "latency-median")
OUTPUT = _reported("output", "output-tokens")
OPTIONAL = (
    COST,
    LATENCY,
    Column(key="p95", metric=_DERIVED["latency-p95"], figure=p95_figure),
    _reported("input", "input-tokens"),
    OUTPUT,
    _reported("steps", "steps-mean"),
    _reported("corrections", "corrections"),
)
"""Those that a reader may hide. Pass rate and valid runs are never shown without one another."""
COLUMNS = (RATE, VALID, *OPTIONAL)


def ordered(rows: tuple[Row, ...], column: Column) -> tuple[Row, ...]:
    """Rows by a column, the best first, those without a value last; equal ones as they stand. Amounts of several
    currencies stand by currency, since nothing is exchanged."""

    def place(row: Row) -> tuple[bool, str, Decimal]:
        value = column.figure(row).value
        number = Decimal(value or 0)
        currency = (row.measures.currency or "") if column.metric.unit == "money" else ""
        return value is None, currency, -number if column.falling else number

    return tuple(sorted(rows, key=place))
