"""Money in another currency, by a rate that somebody read on a day at a place, and by nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal, localcontext
from typing import Annotated

from pydantic import StringConstraints, model_validator

from dataset.artifacts.artifact import Cost
from dataset.artifacts.price import Day, RateText, Source
from dataset.measures.cost import EXACT, amount_text
from dataset.record import Record

PAIR_PATTERN = r"^[A-Z]{3}/[A-Z]{3}$"


class FxSnapshot(Record):
    """One unit of the first currency of `pair` is `rate` units of the second, as read on a day at a place."""

    pair: Annotated[str, StringConstraints(pattern=PAIR_PATTERN)]
    rate: RateText
    as_of: Day
    source: Source

    @model_validator(mode="after")
    def _is_a_real_rate(self) -> FxSnapshot:
        base, quote = self.pair.split("/")
        if base == quote:
            raise ValueError("a pair needs two different currencies")
        if not Decimal(self.rate):
            raise ValueError("a rate can't be 0")
        return self


def convert(cost: Cost, currency: str, snapshots: Sequence[FxSnapshot]) -> tuple[Cost | None, str | None]:
    """The cost in a currency, unrounded, or None and the reason why it can't be said.

    Only a rate for exactly this pair counts: none is turned round, and none is made of two others.
    """
    if cost.currency == currency:
        return cost, None
    pair = f"{cost.currency}/{currency}"
    snapshot = next((found for found in snapshots if found.pair == pair), None)
    if snapshot is None:
        return None, f"no dated exchange rate for {pair}"
    with localcontext(EXACT):
        return Cost(amount=amount_text(Decimal(cost.amount) * Decimal(snapshot.rate)), currency=currency), None
