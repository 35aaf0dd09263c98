"""Numbers as a page shows them. A value that isn't there is a word that says why ("unknown"), never 0.

Digits, decimal points and currency codes are the same in every language of the pages; units that aren't are messages.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import assert_never

from dataset.measures.group import GroupMeasures
from dataset.measures.metric import METRIC_BY_ID, Metric
from dataset.measures.rounding import rounded
from publisher.rendering.language.message import Message, marked

UNKNOWN = marked("unknown")
_MINUTE = 60_000
_LEAST_P = Decimal("0.001")
_SPACE = "\u00a0"
"""Keeps a number and its unit on one line."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Figure:
    """One value of a metric: `value` exactly as the report has it (null where unknown), `text` as it is read."""

    metric: Metric
    value: str | None
    text: str | Message


def figure(metric_id: str, measures: GroupMeasures) -> Figure:
    """The value of one metric for one group."""
    metric = METRIC_BY_ID[metric_id]
    value = measures.metrics.get(metric_id)
    return Figure(metric=metric, value=value, text=_shown(metric, value, measures.currency))


def _shown(metric: Metric, value: str | None, currency: str | None) -> str | Message:
    if value is None:
        return Message(metric.missing)
    match metric.unit:
        case "share":
            return percent(value)
        case "ms":
            return duration(value)
        case "tokens":
            return grouped(value)
        case "money":
            return money(value, currency or "")
        case "count":
            return value
        case _:
            assert_never(metric.unit)


def percent(share: str) -> str:
    """A share as a percentage with one decimal."""
    return f"{_rounded(Decimal(share) * 100, '0.1')}{_SPACE}%"


def points(share: str) -> Message:
    """A difference of shares in signed percentage points with one decimal."""
    return _points(signed_points(share))


def signed_points(share: str) -> str:
    """The same without its unit: the lower end of an interval, whose upper end has it."""
    value = _rounded(Decimal(share) * 100, "0.1")
    sign = "+" if value > 0 else "−" if value < 0 else "±"
    return f"{sign}{abs(value)}"


def distance(share: str) -> Message:
    """A distance of shares, which has no direction, in percentage points with one decimal."""
    return _points(str(_rounded(Decimal(share) * 100, "0.1")))


def error(share: str) -> Message:
    """A standard error of shares in percentage points with two decimals."""
    return _points(f"±{_rounded(Decimal(share) * 100, '0.01')}")


def _points(shown: str) -> Message:
    return Message("%(points)s\u00a0pp", points=shown)


def p_value(value: str) -> str:
    """A p-value with three decimals, or that it lies below them."""
    return f"p = {_rounded(Decimal(value), '0.001')}" if Decimal(value) >= _LEAST_P else f"p < {_LEAST_P}"


def duration(milliseconds: str | int) -> Message:
    """Milliseconds below a second, then seconds, then minutes."""
    value = Decimal(milliseconds)
    if value < 1000:
        return Message("%(value)s\u00a0ms", value=str(_rounded(value, "1")))
    if value < _MINUTE:
        return Message("%(value)s\u00a0s", value=str(_rounded(value / 1000, "0.1")))
    minutes, seconds = divmod(int(_rounded(value / 1000, "1")), 60)
    return Message("%(minutes)s min %(seconds)s s", minutes=str(minutes), seconds=str(seconds).zfill(2))


def grouped(value: str | int) -> str:
    """A count rounded to a whole number, thousands separated."""
    return f"{_rounded(Decimal(value), '1'):,}"


def money(amount: str, currency: str) -> str:
    """An amount with its currency: two decimals, or three significant digits below one."""
    value = Decimal(amount)
    if value and abs(value) < 1:
        places = Decimal(1).scaleb(value.adjusted() - 2)
        text = format(rounded(value, places).normalize(), "f")
    else:
        text = f"{_rounded(value, '0.01'):,}"
    return f"{text} {currency}".strip()


def _rounded(value: Decimal, places: str) -> Decimal:
    return rounded(value, Decimal(places))
