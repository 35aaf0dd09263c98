"""Who stands in a plot: a model in a batch, or one arm of it, with the numbers that the report has of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from dataset.measures.group import GroupMeasures
from dataset.measures.statistics.repeats import RepeatStatistics
from publisher.rendering.figures import percent
from publisher.rendering.language.message import Message, Sayable

RATE_COLUMNS: tuple[Sayable, ...] = (Message("Pass rate"), Message("95 % CI"), Message("Valid / planned"))
"""What the `rate_cells` of a subject stand under."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Rate:
    """A pass rate with its 95 % interval, as shares."""

    value: Decimal
    low: Decimal
    high: Decimal


@dataclass(frozen=True, kw_only=True, slots=True)
class Subject:
    """One row of every table and at most one point of every plot.

    `place` tells two of the same name apart; `heading` names what several subjects stand under, and `href` leads to
    the runs. `repeats` is null in a report from before there were statistics.
    """

    name: str
    place: str
    href: str
    measures: GroupMeasures
    heading: str | Sayable = ""
    failing: Mapping[str, int] = field(default_factory=dict)
    repeats: tuple[RepeatStatistics, ...] | None = None

    @property
    def rate(self) -> Rate | None:
        """None without a valid run."""
        value, low, high = self.measures.metrics["pass-rate"], self.measures.pass_rate_low, self.measures.pass_rate_high
        if value is None or low is None or high is None:
            return None
        return Rate(value=Decimal(value), low=Decimal(low), high=Decimal(high))

    @property
    def valid(self) -> str:
        """Valid of planned runs, which every rate stands beside."""
        return f"{self.measures.valid} / {self.measures.planned}"

    @property
    def rate_cells(self) -> tuple[str | Sayable, str, str]:
        """Pass rate, interval and valid runs as a table shows them."""
        value, low, high = self.measures.metrics["pass-rate"], self.measures.pass_rate_low, self.measures.pass_rate_high
        if value is None or low is None or high is None:
            return Message("no valid run"), "–", self.valid
        return percent(value), f"{percent(low)} – {percent(high)}", self.valid
