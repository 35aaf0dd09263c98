"""One number as a text shows it: its value, its precision, its place."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

NumberKind = Literal["plain", "percent", "amount", "date", "time", "ordinal", "identifier"]

QUANTITIES: frozenset[NumberKind] = frozenset({"plain", "percent", "amount"})


@dataclass(frozen=True, kw_only=True, slots=True)
class CalendarDate:
    """A date as far as a text gives it; a part that isn't said is None."""

    year: int | None = None
    month: int | None = None
    day: int | None = None

    @property
    def is_possible(self) -> bool:
        """Whether month and day lie in their ranges (31 February passes: it's a typing slip, still a date)."""
        return (self.month is None or 1 <= self.month <= 12) and (self.day is None or 1 <= self.day <= 31)

    def is_stated_by(self, other: CalendarDate) -> bool:
        """Whether `other` says every part that this date says, with the same value."""
        return self.year in (None, other.year) and self.month in (None, other.month) and self.day in (None, other.day)

    def __str__(self) -> str:
        parts = ("----" if self.year is None else f"{self.year:04}", _part(self.month), _part(self.day))
        return "-".join(parts)


def _part(number: int | None) -> str:
    return "--" if number is None else f"{number:02}"


@dataclass(frozen=True, kw_only=True, slots=True)
class NumberMention:
    """A number found in a text; `start` and `end` are offsets of `text` there (sign, currency, unit included).

    `value` has the scale applied (1.2 million is 1200000) and is in percent for percentages (12.5 for 12.5%).
    `exponent` is the power of ten of the last digit shown (-2 for 1.23, 5 for 1.2 million), or None where
    the mention has no reading as a quantity (then `value` is 0). `either_sign` marks a number in
    parentheses, which bookkeeping reads as negative and prose doesn't. `dates` holds each possible reading
    of a date (3/4/2026 has two), `moment` the minutes since midnight of a time.
    """

    value: Decimal
    exponent: int | None
    kind: NumberKind
    text: str
    start: int
    end: int
    scale: int = 0
    currency: str | None = None
    grouped: bool = False
    either_sign: bool = False
    dates: tuple[CalendarDate, ...] = ()
    moment: int | None = None

    @property
    def is_percent(self) -> bool:
        """Whether it's a percentage (percentage points included)."""
        return self.kind == "percent"

    @property
    def is_trivial(self) -> bool:
        """Whether it needs no source: list numbering, a bare single digit, a bare month, a label such as R3."""
        if self.kind == "ordinal":
            return True
        if self.kind == "identifier":
            return sum(char.isdecimal() for char in self.text) < 2
        if self.kind == "date":
            return all(date.year is None and date.day is None for date in self.dates)
        is_digit = self.exponent == 0 and self.scale == 0 and abs(self.value) < 10
        return is_digit and self.kind in ("plain", "time")

    @property
    def canonical(self) -> str:
        """The value as text: a decimal string, an ISO date with dashes for parts not said, HH:MM, the identifier."""
        if self.dates:
            return str(self.dates[0])
        if self.moment is not None:
            return f"{self.moment // 60:02}:{self.moment % 60:02}"
        return self.text if self.exponent is None else format(self.value, "f")
