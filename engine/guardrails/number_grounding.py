"""Number grounding: each non-trivial number of an answer has a source: a tool result, the session or the question.

Of the session only trusted entries count, and what of them reached the model.

Exempt are numbering (list markers, Step 12, 第12步), bare single digits, labels with one digit (R3), the
phrases a pack lists, and "1 HKD" as the base of a rate. Identifiers and dates need a source as numbers do: a
date is grounded where a source says every part of it, in whatever format. The sign counts, unless the clause
speaks of a fall. A number is replaced with its sign, currency, scale and unit.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from functools import cached_property
from operator import itemgetter

from dataset.measures.correction import corrected
from dataset.measures.numbers import NumberMention, find_numbers, fold
from dataset.questions.guardrail_policy import NumberPolicy
from dataset.record import LOCALES, Locale
from engine.guardrails.grounding_index import GroundingIndex
from engine.guardrails.interface import AnswerContext, Correction, Grounding, GuardOutcome
from engine.guardrails.sentences import Clauses, language_of, sentences

CODE = "OUT-NUM-001"


class NumberGroundingGuard:
    """Replaces ungrounded numbers by a placeholder in the language of their sentence, and records each source."""

    name = "number_grounding"

    def __init__(self, policy: NumberPolicy) -> None:
        wordings = [policy.to(locale) for locale in LOCALES]
        self._placeholders: dict[Locale, str] = {locale: policy.to(locale).placeholder for locale in LOCALES}
        self._exempt = _any_of((phrase for wording in wordings for phrase in wording.exempt_phrases), whole=True)
        self._falls = _any_of(word for wording in wordings for word in wording.fall_words)
        self._rates = _any_of(word for wording in wordings for word in wording.unit_rate_words)

    def check(self, answer: str, context: AnswerContext) -> GuardOutcome:
        """The answer with ungrounded numbers replaced; one grounding per number that has a source."""
        mentions = [mention for mention in find_numbers(answer) if not mention.is_trivial]
        if not mentions:
            return GuardOutcome(guard=self.name, verdict="allow", code=None, text=answer)
        corrections, groundings = self._judged(mentions, answer, context)
        return GuardOutcome(
            guard=self.name,
            verdict="rewrite" if corrections else "allow",
            code=CODE if corrections else None,
            text=corrected(answer, corrections),
            detail=f"{len(groundings)} number(s) grounded, {len(corrections)} not",
            corrections=corrections,
            groundings=groundings,
        )

    def _judged(
        self, mentions: list[NumberMention], answer: str, context: AnswerContext
    ) -> tuple[tuple[Correction, ...], tuple[Grounding, ...]]:
        index, clauses, folded = GroundingIndex(context), Clauses(answer), fold(answer)
        exempt, falls, rates = (_Places(words, folded) for words in (self._exempt, self._falls, self._rates))
        languages = _Languages(answer, context.locale)
        corrections: list[Correction] = []
        groundings: list[Grounding] = []
        for mention in mentions:
            clause = clauses.bounds(mention.start, mention.end)
            source = index.source_of(mention, either_sign=falls.any_in(*clause))
            if source is not None:
                groundings.append(source)
            elif not exempt.cover(mention) and not (_is_one_unit(mention) and rates.any_in(*clause)):
                corrections.append(_correction(mention, self._placeholders[languages.at(mention.start)]))
        return tuple(corrections), tuple(groundings)


class _Places:
    """Where words stand in a text; they are looked for when somebody asks."""

    def __init__(self, words: re.Pattern[str], text: str) -> None:
        self._words = words
        self._text = text

    @cached_property
    def _spans(self) -> list[tuple[int, int]]:
        return [match.span() for match in self._words.finditer(self._text)]

    @cached_property
    def _starts(self) -> list[int]:
        return [start for start, _ in self._spans]

    def any_in(self, start: int, end: int) -> bool:
        """Whether one of them lies between the offsets."""
        first = bisect_left(self._starts, start)
        return first < len(self._spans) and self._spans[first][1] <= end

    def cover(self, mention: NumberMention) -> bool:
        """Whether one of them holds the whole mention."""
        before = bisect_right(self._starts, mention.start)
        return before > 0 and mention.end <= self._spans[before - 1][1]


class _Languages:
    """The language of the sentence at a place; a sentence without letters has that of the whole answer."""

    def __init__(self, answer: str, default: Locale) -> None:
        self._answer = answer
        self._default = default

    @cached_property
    def _whole(self) -> Locale:
        return language_of(self._answer, self._default)

    @cached_property
    def _sentences(self) -> list[tuple[int, Locale]]:
        return [(sentence.start, language_of(sentence.text, self._whole)) for sentence in sentences(self._answer)]

    def at(self, place: int) -> Locale:
        before = bisect_right(self._sentences, place, key=itemgetter(0))
        return self._sentences[before - 1][1] if before else self._whole


def _correction(mention: NumberMention, placeholder: str) -> Correction:
    return Correction(
        guard=NumberGroundingGuard.name,
        code=CODE,
        original=mention.text,
        replacement=placeholder,
        start=mention.start,
        end=mention.end,
        reason=f"{mention.kind} {mention.canonical} has no source",
    )


def _is_one_unit(mention: NumberMention) -> bool:
    return mention.kind == "amount" and mention.value == 1 and mention.exponent == 0


def _any_of(words: Iterable[str], *, whole: bool = False) -> re.Pattern[str]:
    """A pattern for any of the words (for none, one that never matches); Latin ones begin at a word boundary."""
    ending = "(?![0-9A-Za-z])" if whole else ""
    alternatives = [
        rf"(?<![A-Za-z]){re.escape(fold(word))}{ending}" if word[:1].isascii() else re.escape(fold(word)) + ending
        for word in sorted(words, key=len, reverse=True)
    ]
    return re.compile("|".join(alternatives) or "(?!)", re.IGNORECASE)
