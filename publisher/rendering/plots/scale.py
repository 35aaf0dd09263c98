"""From a value to its place: one rounding, to whole tenths of a unit, half to even, in decimal arithmetic."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal, localcontext
from typing import Protocol

WIDE = 30
"""From this ratio of the largest to the smallest positive value on, a scale is logarithmic."""
_STEPS = (Decimal(1), Decimal(2), Decimal(5))
_MOST_TICKS = 6
_ZERO_ROOM = 240
"""Where zero stands on a logarithmic scale: in a place of its own, so many tenths before the least power."""
_CONTEXT = Context(prec=28, rounding=ROUND_HALF_EVEN)


class Scale(Protocol):
    """A run of values from `start` to `end`, in tenths of a unit; `ticks` are those that an axis names."""

    @property
    def ticks(self) -> Sequence[Decimal]:
        """In the order of the scale."""
        ...

    def at(self, value: Decimal) -> int:
        """The place of a value within the run."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class LinearScale:
    """Equal steps for equal differences. `start` may lie beyond `end`, as it does where values go up."""

    low: Decimal
    high: Decimal
    start: int
    end: int
    ticks: tuple[Decimal, ...]

    def at(self, value: Decimal) -> int:
        """The place of a value, which may lie outside."""
        return _between(self.start, self.end, value - self.low, self.high - self.low)


@dataclass(frozen=True, kw_only=True, slots=True)
class LogScale:
    """Equal steps for equal ratios; zero, which has no logarithm, stands before `start`, at `zero`."""

    low: Decimal
    high: Decimal
    start: int
    end: int
    zero: int
    ticks: tuple[Decimal, ...]

    def at(self, value: Decimal) -> int:
        """The place of a value of at least 0."""
        if not value:
            return self.zero
        with localcontext(_CONTEXT):
            return _between(self.start, self.end, (value / self.low).log10(), (self.high / self.low).log10())


def share_scale(low: int, high: int, start: int, end: int, *, every: int) -> LinearScale:
    """Shares from `low` to `high` percent with a tick every so many."""
    return LinearScale(
        low=Decimal(low) / 100,
        high=Decimal(high) / 100,
        start=start,
        end=end,
        ticks=tuple(Decimal(percent) / 100 for percent in range(low, high + 1, every)),
    )


def amount_scale(values: Iterable[Decimal], start: int, end: int) -> Scale:
    """A scale for amounts of at least 0: linear from 0, or logarithmic where they lie too far apart for that."""
    known = sorted(set(values))
    positive = [value for value in known if value]
    if positive and positive[-1] >= WIDE * positive[0]:
        return _log(positive, start, end, zero=known[0] == 0)
    with localcontext(_CONTEXT):
        step = tick_step(known[-1] if positive else Decimal(1))
        count = int(((known[-1] if positive else Decimal(1)) / step).to_integral_value(ROUND_CEILING))
        ticks = tuple(step * number for number in range(count + 1))
    return LinearScale(low=Decimal(0), high=ticks[-1], start=start, end=end, ticks=ticks)


def tick_step(high: Decimal) -> Decimal:
    """The least of 1, 2 and 5 times a power of ten that reaches a positive value in at most five steps."""
    with localcontext(_CONTEXT):
        power = Decimal(1).scaleb((high / 5).adjusted())
        return next(step for step in (*(s * power for s in _STEPS), 10 * power) if step * 5 >= high)


def _log(positive: Sequence[Decimal], start: int, end: int, *, zero: bool) -> LogScale:
    with localcontext(_CONTEXT):
        low = Decimal(1).scaleb(positive[0].adjusted())
        decades = int((positive[-1] / low).log10().to_integral_value(ROUND_CEILING))
        high = low.scaleb(max(decades, 1))
        every = -(-(decades + 1) // _MOST_TICKS)
        ticks = tuple(low.scaleb(power) for power in range(0, decades + 1, every))
    return LogScale(
        low=low,
        high=high,
        start=start + _ZERO_ROOM if zero else start,
        end=end,
        zero=start,
        ticks=(Decimal(0), *ticks) if zero else ticks,
    )


def around(shares: Iterable[Decimal]) -> tuple[int, int]:
    """The whole tens of percent that shares lie between, at least twenty apart and within 0 to 100."""
    found = [share * 100 for share in shares]
    low = int((min(found) / 10).to_integral_value(ROUND_FLOOR)) * 10
    high = int((max(found) / 10).to_integral_value(ROUND_CEILING)) * 10
    if high - low < 20:
        low, high = (low, low + 20) if low <= 80 else (80, 100)
    return max(low, 0), min(high, 100)


def _between(start: int, end: int, part: Decimal, whole: Decimal) -> int:
    with localcontext(_CONTEXT):
        return start + int(((end - start) * part / whole).to_integral_value(ROUND_HALF_EVEN))
