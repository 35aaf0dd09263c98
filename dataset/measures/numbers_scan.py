"""The numbers of a text, form by form: what one form claims, no later one reads again."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from dataset.measures.needed_words import Words, comparable, needed_words
from dataset.measures.numbers_dates import DATE_FORMS, MASK, Reading
from dataset.measures.numbers_folding import fold
from dataset.measures.numbers_mention import NumberKind, NumberMention
from dataset.measures.numbers_quantities import (
    CHINESE_QUANTITY,
    QUANTITY,
    Quantity,
    read_chinese_quantity,
    read_quantity,
)
from dataset.measures.numbers_tokens import CODE, DOTTED, LINK, ORDINAL, TOKEN, is_identifier

_DIGIT = re.compile(r"[\d零〇一二两三四五六七八九十百千万亿]")
# A fixture's reply is read in each run that calls its tool, an answer by the guardrails and by the judge.
_REMEMBERED_LENGTH = 1000


def find_numbers(text: str) -> tuple[NumberMention, ...]:
    """Every number in the text, in order, never overlapping; offsets are those of `text` itself."""
    if not _DIGIT.search(text):
        return ()
    return _remembered(text) if len(text) <= _REMEMBERED_LENGTH else _found(text, _FORMS)


@lru_cache(maxsize=256)
def _remembered(text: str) -> tuple[NumberMention, ...]:
    return _found(text, _FORMS)


def _found(text: str, forms: Iterable[_Form]) -> tuple[NumberMention, ...]:
    scan = _Scan(text)
    for form in forms:
        scan.claim(form)
    return tuple(sorted(scan.found, key=lambda mention: mention.start))


class _Scan:
    """Forms claim their spans one after the other; what is claimed is masked for those that follow."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.found: list[NumberMention] = []
        self._mask(fold(text).replace(MASK, " "))

    def claim(self, form: _Form) -> None:
        if form.needs is not None and self._plain is not None and not any(word in self._plain for word in form.needs):
            return
        pieces: list[str] = []
        last = 0
        for match in form.pattern.finditer(self._masked):
            reading = form.read(match)
            if reading is None or reading.start < last:
                continue
            self.found.append(_mention(reading, self.text))
            pieces += [self._masked[last : reading.start], MASK * (reading.end - reading.start)]
            last = reading.end
        if pieces:
            self._mask("".join([*pieces, self._masked[last:]]))

    def _mask(self, text: str) -> None:
        self._masked = text
        self._plain = comparable(text)


def _identifier(match: re.Match[str]) -> Reading:
    return Reading(start=match.start(), end=match.end(), kind="identifier")


def _ordinal(match: re.Match[str]) -> Reading:
    digits = re.search(r"\d+", match[0])
    number = Decimal(digits[0]) if digits else None
    return Reading(start=match.start(), end=match.end(), kind="ordinal", number=number)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Form:
    """One way to write a number, and the words without which it isn't looked for."""

    pattern: re.Pattern[str]
    read: Callable[[re.Match[str]], Reading | Quantity | None]
    needs: Words | None


_FORMS = tuple(
    _Form(pattern=pattern, read=read, needs=needed_words(pattern))
    for pattern, read in (
        (LINK, _identifier),
        *DATE_FORMS,
        (ORDINAL, _ordinal),
        (DOTTED, _identifier),
        (TOKEN, lambda match: _identifier(match) if is_identifier(match[0]) else None),
        (CODE, _identifier),
        (CHINESE_QUANTITY, read_chinese_quantity),
        (QUANTITY, read_quantity),
    )
)
"""In the order in which they claim their spans."""


def _mention(reading: Reading | Quantity, text: str) -> NumberMention:
    shown = text[reading.start : reading.end]
    if isinstance(reading, Reading):
        return NumberMention(
            value=reading.number or Decimal(0),
            exponent=None if reading.number is None else 0,
            kind=reading.kind,
            text=shown,
            start=reading.start,
            end=reading.end,
            dates=reading.dates,
            moment=reading.moment,
        )
    kind: NumberKind = "percent" if reading.percent else "amount" if reading.currency else "plain"
    return NumberMention(
        value=reading.value,
        exponent=reading.exponent,
        kind=kind,
        text=shown,
        start=reading.start,
        end=reading.end,
        scale=reading.scale,
        currency=reading.currency,
        grouped=reading.grouped,
        either_sign=reading.either_sign,
    )
