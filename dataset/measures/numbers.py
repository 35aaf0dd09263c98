"""The one reader of numbers in text: grounding, gold numbers and the judge all read with it.

Understood: thousands separators (1,234.5; 12,34,567; 1.234,5 and 1 234,5 with a decimal comma after ordinary
spaces, groups between no-break spaces always), full-width digits, signs (-, −, minus, 负, bookkeeping
parentheses), percent in signs and words (百分之十二点五), 万/亿, k/m/bn and words, currency signs, codes and
words, Chinese numerals before a unit, dates, times, numbering and identifiers. Not understood: English number
words, fractions, basis points as percent.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Context, Decimal

from dataset.errors import GlassbenchError
from dataset.measures.numbers_folding import fold
from dataset.measures.numbers_mention import QUANTITIES, CalendarDate, NumberKind, NumberMention
from dataset.measures.numbers_quantities import scales_named
from dataset.measures.numbers_scan import find_numbers

__all__ = [
    "CalendarDate",
    "NumberKind",
    "NumberMention",
    "NumberTextError",
    "contains_number",
    "find_numbers",
    "fold",
    "matches_at_precision",
    "read_number",
    "scales_named",
    "states_same_number",
]

_EXACT = Context(prec=400)
_LONGEST = 300
_HALF_DAY = 720


class NumberTextError(GlassbenchError):
    """A text that should be one number isn't."""

    code = "MEASURE-NUM-001"


def matches_at_precision(shown: NumberMention, source: Decimal) -> bool:
    """Whether `source` rounds to the shown value at the place last shown (half up or half even, both are used).

    `source` is on the shown number's own scale: in percent where the shown number is a percentage.
    """
    if shown.exponent is None or not source.is_finite():
        return False
    if abs(source.adjusted()) > _LONGEST or shown.exponent < -_LONGEST:
        return source == shown.value
    unit = Decimal((0, (1,), shown.exponent))
    return any(
        source.quantize(unit, rounding, context=_EXACT) == shown.value for rounding in (ROUND_HALF_UP, ROUND_HALF_EVEN)
    )


def states_same_number(shown: NumberMention, source: NumberMention, *, either_sign: bool = False) -> bool:
    """Whether one mention states what the other does: a quantity at the precision shown, a date as far as it's
    said, a time (12- and 24-hour clocks alike), an identifier whatever its case.

    A percentage is compared with percentages, with plain numbers as they stand (`"change_pct": 12.5`) and with
    fractions (0.125); a plain number with percentages both ways too. Currencies are not compared.
    """
    if shown.kind == "identifier" or source.kind == "identifier":
        return fold(shown.text).casefold() == fold(source.text).casefold()
    if any(date.is_stated_by(said) for date in shown.dates for said in source.dates):
        return True
    if shown.moment is not None and source.moment is not None:
        return (shown.moment - source.moment) % _HALF_DAY == 0
    if _names_year_of(shown, source):
        return True
    free = either_sign or shown.either_sign or source.either_sign
    return any(
        matches_at_precision(shown, value) or (free and matches_at_precision(shown, -value))
        for value in comparable_values(shown, source)
    )


def comparable_values(shown: NumberMention, source: NumberMention) -> Iterator[Decimal]:
    """The values of `source` on the scale of `shown`: as it stands, and across the percent sign."""
    if source.exponent is None:
        return
    yield source.value
    if shown.is_percent and not source.is_percent:
        yield source.value.scaleb(2, _EXACT)
    if source.is_percent and not shown.is_percent:
        yield source.value.scaleb(-2, _EXACT)


def _names_year_of(shown: NumberMention, source: NumberMention) -> bool:
    """A bare 2026 against a date in 2026, either way round."""
    for year, dated in ((shown, source), (source, shown)):
        is_bare = year.kind == "plain" and year.exponent == 0 and not year.grouped and not year.dates
        if is_bare and any(date.year == year.value for date in dated.dates):
            return dated is source or all(date.month is None for date in dated.dates)
    return False


def read_number(text: str) -> NumberMention:
    """The one number that a text consists of ("1.2345", "-3.2", "12.5%", "2026-03-31"); NumberTextError otherwise."""
    stripped = text.strip()
    found = find_numbers(stripped)
    if len(found) != 1 or found[0].text != stripped:
        raise NumberTextError(f"{text!r} is not one number", hint="write it as 1234.5, -3.2, 12.5% or 2026-03-31")
    return found[0]


def contains_number(text: str, value: str, *, either_sign: bool = False) -> bool:
    """Whether the text states the gold number `value`, at the precision the text shows.

    "about 1.23" states 1.2345. A bare single digit states a number only where it equals it. `either_sign`
    lets "fell 3.2%" state -3.2.
    """
    gold = read_number(value)
    for shown in find_numbers(text):
        if shown.kind not in QUANTITIES and gold.kind in QUANTITIES and shown.exponent is None:
            continue
        if shown.is_trivial and shown.value != gold.value:
            continue
        if states_same_number(shown, gold, either_sign=either_sign):
            return True
    return False
