"""What tokens cost: rates per million, by prompt size and time of day, with the day and place they were read.

How a call's rates are found, in this order: the window of `hours` that its start falls into (UTC) replaces the price
as a whole, its tiers too; then the highest tier that its input tokens exceed gives the rates of the whole call.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from itertools import combinations, pairwise
from typing import Annotated, Literal

from pydantic import AfterValidator, ConfigDict, Field, StringConstraints, model_validator

from dataset.artifacts.artifact import Count
from dataset.record import ABSENT, Record


def _day_of_the_calendar(value: str) -> str:
    try:
        date.fromisoformat(value)
    except ValueError:
        raise ValueError("is no day of the calendar") from None
    return value


RATE_PATTERN = r"^(0|[1-9][0-9]*)(\.[0-9]+)?$"
CURRENCY_PATTERN = r"^[A-Z]{3}$"
DAY_PATTERN = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
CLOCK_PATTERN = r"^([01][0-9]|2[0-3]):[0-5][0-9]$"

RateText = Annotated[str, StringConstraints(pattern=RATE_PATTERN, max_length=40)]
"""A decimal number from 0, short enough that every product with a token count is exact."""
Currency = Annotated[str, StringConstraints(pattern=CURRENCY_PATTERN)]
Day = Annotated[str, StringConstraints(pattern=DAY_PATTERN), AfterValidator(_day_of_the_calendar)]
Source = Annotated[str, StringConstraints(min_length=1)]
ClockTime = Annotated[str, StringConstraints(pattern=CLOCK_PATTERN)]
"""Hour and minute of a day; as text they sort as they pass."""


class Rates(Record):
    """Rates per million tokens. Cached tokens are part of the input and reasoning tokens part of the output: without a
    rate of their own they cost what the others of their side cost, with one they cost that instead."""

    input_per_million: RateText
    output_per_million: RateText
    cache_read_per_million: Annotated[RateText | None, ABSENT] = None
    reasoning_per_million: Annotated[RateText | None, ABSENT] = None


class PriceTier(Rates):
    """The rates of a whole call whose input is larger than `above_input_tokens`."""

    above_input_tokens: Annotated[Count, Field(strict=True, ge=1)]


def _rising(tiers: tuple[PriceTier, ...] | None) -> tuple[PriceTier, ...] | None:
    if any(low.above_input_tokens >= high.above_input_tokens for low, high in pairwise(tiers or ())):
        raise ValueError("tiers must stand in order, each with a higher above_input_tokens than the one before")
    return tiers


class RateTable(Rates):
    """Rates, and those that take their place for larger prompts."""

    tiers: Annotated[tuple[PriceTier, ...] | None, ABSENT, AfterValidator(_rising)] = None

    def for_prompt(self, input_tokens: int) -> Rates:
        """The rates of a call with so many input tokens."""
        return (self, *self._tiers_below(input_tokens))[-1]

    def up_to_prompt(self, input_tokens: int) -> tuple[Rates, ...]:
        """Every rates that a call with at most so many input tokens can have."""
        return (self, *self._tiers_below(input_tokens))

    def _tiers_below(self, input_tokens: int) -> Iterator[PriceTier]:
        return (tier for tier in self.tiers or () if tier.above_input_tokens < input_tokens)


class PriceWindow(RateTable):
    """What replaces a price for calls that start from one time of the day until before another, which may be past
    midnight."""

    model_config = ConfigDict(serialize_by_alias=True)

    starts: Annotated[ClockTime, Field(alias="from")]
    ends: Annotated[ClockTime, Field(alias="to")]
    zone: Literal["UTC"] = "UTC"

    @model_validator(mode="after")
    def _has_a_length(self) -> PriceWindow:
        if self.starts == self.ends:
            raise ValueError("a window can't end when it starts")
        return self

    def covers(self, clock: str) -> bool:
        """Whether the window is open at this hour and minute."""
        if self.starts < self.ends:
            return self.starts <= clock < self.ends
        return clock >= self.starts or clock < self.ends


class Price(RateTable):
    """Price per million tokens, with the day and place it was read."""

    currency: Currency
    as_of: Day
    source: Source
    hours: Annotated[tuple[PriceWindow, ...] | None, ABSENT] = None

    @model_validator(mode="after")
    def _leaves_no_call_with_two_prices(self) -> Price:
        for one, other in combinations(self.hours or (), 2):
            if one.covers(other.starts) or other.covers(one.starts):
                raise ValueError(f"the windows from {one.starts} and from {other.starts} overlap")
        if self.tiers and any(window.tiers is None for window in self.hours or ()):
            raise ValueError(
                "the price has tiers, and a window replaces them: give each window its own tiers "
                "(an empty list where prompt size makes no difference inside it)"
            )
        return self

    def rates_of(self, input_tokens: int, started_at: str) -> Rates:
        """The rates of a call with so many input tokens that started then (UTC ISO 8601)."""
        clock = started_at[11:16]
        table: RateTable = next((window for window in self.hours or () if window.covers(clock)), self)
        return table.for_prompt(input_tokens)

    def rates_up_to(self, input_tokens: int) -> tuple[Rates, ...]:
        """Every rates that a call with at most so many input tokens can have, at whatever time."""
        tables: Sequence[RateTable] = (self, *(self.hours or ()))
        return tuple(rates for table in tables for rates in table.up_to_prompt(input_tokens))
