"""Sentences that say what must not be said, found by a pack's patterns and taken back by its cues."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from dataset.measures.correction import corrected
from dataset.measures.needed_words import Words, comparable, needed_words
from dataset.questions.guardrail_policy import WordingPolicy, WordingRules
from dataset.record import LOCALES, Locale
from engine.guardrails.interface import AnswerContext, Correction, GuardOutcome
from engine.guardrails.sentences import Clauses, Sentence, language_of, sentences

# One for one, so that offsets stay true.
_PLAIN = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "\u00a0": " ", "\u202f": " ", "\u3000": " ", "\t": " "})


@dataclass(frozen=True, kw_only=True, slots=True)
class _Cues:
    in_clause: tuple[re.Pattern[str], ...]
    in_sentence: tuple[re.Pattern[str], ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class _Pattern:
    id: str
    regex: re.Pattern[str]
    cues: _Cues
    needs: Words | None
    """None where nothing is known: the pattern may match any text."""


def _compiled(rules: WordingRules) -> Iterator[_Pattern]:
    for pattern in rules.patterns:
        regex = rules.compiled(pattern.regex)
        yield _Pattern(id=pattern.id, regex=regex, cues=_cues(rules, pattern.unless), needs=needed_words(regex))


def _cues(rules: WordingRules, names: tuple[str, ...]) -> _Cues:
    groups = [rules.cues[name] for name in names]
    return _Cues(
        in_clause=tuple(rules.compiled(p) for group in groups if group.scope == "clause" for p in group.patterns),
        in_sentence=tuple(rules.compiled(p) for group in groups if group.scope == "sentence" for p in group.patterns),
    )


def _said(words: Iterable[str], text: str) -> set[str]:
    """Those of the words that the text holds; all of them where that can't be told."""
    plain = comparable(text)
    return set(words) if plain is None else {word for word in words if word in plain}


def _likely(patterns: Iterable[_Pattern], said: set[str]) -> list[_Pattern]:
    """The patterns that can match a text which says these of their words."""
    return [pattern for pattern in patterns if pattern.needs is None or not pattern.needs.isdisjoint(said)]


def _holds(pattern: _Pattern, sentence: str) -> bool:
    matches = pattern.regex.finditer(sentence)
    first = next(matches, None)
    if first is None or any(cue.search(sentence) for cue in pattern.cues.in_sentence):
        return False
    clauses = Clauses(sentence)
    return any(
        not any(cue.search(clauses.around(*match.span())) for cue in pattern.cues.in_clause)
        for match in (first, *matches)
    )


class WordingGuard:
    """Replaces each sentence that says something forbidden by the fixed statement of its language.

    The statement stands once, where the first such sentence stood; later ones are taken out. The note, where
    the rules have one, is put once at the end. Patterns of every language meet every sentence.
    """

    def __init__(self, *, name: str, code: str, policy: WordingPolicy) -> None:
        self.name = name
        self._code = code
        self._policy = policy
        self._patterns = [pattern for locale in LOCALES for pattern in _compiled(policy.to(locale))]
        self._words = frozenset[str]().union(*(pattern.needs or () for pattern in self._patterns))
        self._ascii_words = frozenset(filter(str.isascii, self._words))

    def check(self, answer: str, context: AnswerContext) -> GuardOutcome:
        """The answer without such sentences; one correction for each of them, and one for the note."""
        plain = answer.translate(_PLAIN)
        hits = list(self._hits(plain))
        if not hits:
            return GuardOutcome(guard=self.name, verdict="allow", code=None, text=answer)
        corrections = (*self._replaced(answer, hits, context.locale), *self._note(answer, hits[0][0], context.locale))
        return GuardOutcome(
            guard=self.name,
            verdict="rewrite",
            code=self._code,
            text=corrected(answer, corrections),
            detail=f"{len(hits)} sentence(s) replaced",
            corrections=corrections,
        )

    def _hits(self, plain: str) -> Iterator[tuple[Sentence, str]]:
        """Each sentence in which a pattern holds, with the id of the first one that does."""
        said = _said(self._ascii_words if plain.isascii() else self._words, plain)
        patterns = _likely(self._patterns, said)
        for sentence in sentences(plain) if patterns else ():
            likely = _likely(patterns, _said(said, sentence.text))
            hit = next((pattern.id for pattern in likely if _holds(pattern, sentence.text)), None)
            if hit is not None:
                yield sentence, hit

    def _replaced(self, answer: str, hits: list[tuple[Sentence, str]], default: Locale) -> Iterator[Correction]:
        said = {locale for locale in LOCALES if self._policy.to(locale).statement in answer}
        for sentence, hit in hits:
            locale = language_of(sentence.text, default)
            replacement = "" if locale in said else self._policy.to(locale).statement
            said.add(locale)
            yield self._correction(answer, sentence.start, sentence.end, replacement, f"pattern {hit}")

    def _note(self, answer: str, first: Sentence, default: Locale) -> Iterator[Correction]:
        note = self._policy.to(language_of(first.text, default)).note
        if note and note not in answer:
            yield self._correction(answer, len(answer), len(answer), f"\n\n{note}", "note appended")

    def _correction(self, answer: str, start: int, end: int, replacement: str, reason: str) -> Correction:
        return Correction(
            guard=self.name,
            code=self._code,
            original=answer[start:end],
            replacement=replacement,
            start=start,
            end=end,
            reason=reason,
        )
