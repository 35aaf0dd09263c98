"""Rounding to a place, whatever the size of the number: a report may state one with more digits than a context has."""

from __future__ import annotations

from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, ROUND_HALF_EVEN, Context, Decimal

_WIDE = Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN, rounding=ROUND_HALF_EVEN)
"""`quantize` takes only the digits that its result has, and fails where a context has fewer."""


def rounded(value: Decimal, place: Decimal) -> Decimal:
    """The value with its last digit where that of `place` is, half to even."""
    return value.quantize(place, context=_WIDE)
