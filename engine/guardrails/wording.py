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


_Needed = tuple[str, int]
"""A word, and the patterns that need it or another, each one bit by its place."""


def _said(words: Iterable[_Needed], text: str) -> list[_Needed]:
    """Those of the words that the text holds; all of them where that can't be told."""
    plain = comparable(text)
    return list(words) if plain is None else [needed for needed in words if needed[0] in plain]


def _holds(pattern: _Pattern, sentence: str) -> bool:
    if not pattern.regex.search(sentence) or any(cue.search(sentence) for cue in pattern.cues.in_sentence):
        return False
    clauses = Clauses(sentence)
    return any(
        not any(cue.search(clauses.around(*match.span())) for cue in pattern.cues.in_clause)
        for match in pattern.regex.finditer(sentence)
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
        needing: dict[str, int] = {}
        for place, pattern in enumerate(self._patterns):
            for word in pattern.needs or ():
                needing[word] = needing.get(word, 0) | 1 << place
        self._words = tuple(needing.items())
        self._ascii_words = tuple(needed for needed in self._words if needed[0].isascii())
        self._always = sum(1 << place for place, pattern in enumerate(self._patterns) if pattern.needs is None)

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
        for sentence in sentences(plain) if said or self._always else ():
            hit = self._hit(sentence.text, _said(said, sentence.text))
            if hit is not None:
                yield sentence, hit

    def _hit(self, sentence: str, said: list[_Needed]) -> str | None:
        """The id of the first pattern that holds in a sentence which says these words."""
        likely = self._always
        for _, needing in said:
            likely |= needing
        while likely:
            lowest = likely & -likely
            pattern = self._patterns[lowest.bit_length() - 1]
            if _holds(pattern, sentence):
                return pattern.id
            likely ^= lowest
        return None

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
