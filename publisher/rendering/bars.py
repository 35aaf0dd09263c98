"""The geometry of a bar with its interval, for SVG attributes: a strict CSP allows no style attribute."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from dataset.measures.contrast import ContrastMeasures
from dataset.measures.group import GroupMeasures
from dataset.measures.rounding import rounded


@dataclass(frozen=True, kw_only=True, slots=True)
class Bar:
    """Positions from 0 to 100: the value, the interval's left end and width, and where zero stands."""

    at: str
    low: str
    width: str
    zero: str = "0.0"


def pass_rate_bar(measures: GroupMeasures) -> Bar | None:
    """The pass rate with its interval on 0–100 %; None without a valid run."""
    rate, low, high = measures.metrics["pass-rate"], measures.pass_rate_low, measures.pass_rate_high
    if rate is None or low is None or high is None:
        return None
    return _bar(Decimal(rate) * 100, Decimal(low) * 100, Decimal(high) * 100)


def difference_bar(contrast: ContrastMeasures) -> Bar | None:
    """The difference with its interval on −100 to +100 points; None without enough evidence."""
    value, low, high = contrast.difference, contrast.difference_low, contrast.difference_high
    if value is None or low is None or high is None:
        return None
    at, left, right = (50 + Decimal(number) * 50 for number in (value, low, high))
    return _bar(at, left, right, zero="50.0")


def _bar(value: Decimal, low: Decimal, high: Decimal, zero: str = "0.0") -> Bar:
    return Bar(at=place(value), low=place(low), width=place(high - low), zero=zero)


def place(value: Decimal) -> str:
    """A position with one decimal."""
    return str(rounded(value, Decimal("0.1")))
