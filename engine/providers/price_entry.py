"""A price of the registry that entries name by its id, and numbers as people write them."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import model_validator

from dataset.artifacts.price import Price
from dataset.record import Slug

Status = Literal["active", "archived"]
"""Archived: kept as history, never used."""


class PriceEntry(Price):
    """A `[[prices]]` table."""

    id: Slug
    status: Status = "active"

    @model_validator(mode="before")
    @classmethod
    def _may_be_whole(cls, value: Any) -> Any:
        return exact_rates(value)

    def price(self) -> Price:
        """The price alone, as a batch freezes it."""
        return Price.model_validate(self.model_dump(mode="json", exclude={"id", "status"}))


def exact_rates(value: Any) -> Any:
    """The raw table of a price with its whole numbers as decimal text, because a person writes `input_per_million = 2`.

    Counts, such as the size of a tier, stay numbers.
    """
    if isinstance(value, dict):
        return {name: exact(inner) if _is_rate(name) else exact_rates(inner) for name, inner in value.items()}
    return [exact_rates(inner) for inner in value] if isinstance(value, list) else value


def exact(value: Any) -> Any:
    """A whole number as decimal text; anything else as it is."""
    return str(value) if type(value) is int else value


def _is_rate(name: object) -> bool:
    return isinstance(name, str) and name.endswith("_per_million")
