"""Ratios in an order that is the same on every machine: no binary fraction decides who comes first."""

from __future__ import annotations

_SCALE = 128
"""Bits: a quotient of integers below 2**64, scaled so, orders exactly as the fraction does."""


def exact_ratio(numerator: int, denominator: int) -> int:
    """A whole number that orders as `numerator / denominator` does; `denominator` is more than 0."""
    return (numerator << _SCALE) // denominator
