"""The word table: letter strings that the vocabularies share, and what they cost in tokens.

The strings are no word list: they are the tokens, made of letters alone or of a space and letters, that at least
`HOLDERS` of the vocabularies have in common. Their costs are measured.
"""

import re
from collections import Counter
from collections.abc import Sequence
from string import ascii_letters

from tests.benchmarks.real_tokenizers import RealTokenizer

HOLDERS = 5
"""In how many vocabularies a string must be one token."""

LONGEST = 16
"""Letters a known string has at most."""

_TOKEN = re.compile(rb"( ?)([A-Z]?[a-z]+|[A-Z]+)\Z")
_SIGNS = "_(\"./-<$@#[{'=,:;~!?*&%^+>\\]})|`\t"


def word_lines(tokenizers: Sequence[RealTokenizer]) -> list[str]:
    """Return the lines of `token_words.txt`, sorted by string."""
    words = sorted(shared_words([t.vocabulary for t in tokenizers]) | set(ascii_letters))
    prefixes = sorted({word[:n] for word in words for n in range(1, len(word) + 1)})
    spaced = dict(zip(prefixes, highest(tokenizers, [" " + p for p in prefixes]), strict=True))
    glued = dict(zip(prefixes, _highest_glued(tokenizers, prefixes), strict=True))
    rising = _rising({p: max(spaced[p], glued[p]) for p in prefixes})
    return [_line(word, rising, spaced[word], max(spaced[word], glued[word])) for word in words]


def shared_words(vocabularies: Sequence[frozenset[bytes]]) -> set[str]:
    """Return the strings that enough of the vocabularies hold as one token, with or without a space in front."""
    holders: Counter[bytes] = Counter()
    for vocabulary in vocabularies:
        holders.update(token for token in vocabulary if _TOKEN.match(token))
    words = {token.decode().lstrip(" ") for token, n in holders.items() if n >= min(HOLDERS, len(vocabularies))}
    return {word for word in words if len(word) <= LONGEST}


def highest(tokenizers: Sequence[RealTokenizer], texts: Sequence[str]) -> list[int]:
    """Return for each text the most tokens that any tokenizer makes of it."""
    return [max(costs) for costs in zip(*(t.counts(texts) for t in tokenizers), strict=True)]


def _highest_glued(tokenizers: Sequence[RealTokenizer], strings: Sequence[str]) -> list[int]:
    """Return each string's cost at the start of a text, or what it adds to the one token of a sign before it."""
    costs = highest(tokenizers, strings)
    for sign in _SIGNS:
        behind = highest(tokenizers, [sign + s for s in strings])
        costs = [max(cost, both - 1) for cost, both in zip(costs, behind, strict=True)]
    return costs


def _rising(costs: dict[str, int]) -> dict[str, int]:
    """Return the running maximum over each string's prefixes, lifted where it would grow by more than one a letter."""
    lifted = dict(costs)
    for string in sorted(costs, key=len, reverse=True):
        if len(string) > 1:
            lifted[string[:-1]] = max(lifted[string[:-1]], lifted[string] - 1)
    for string in sorted(costs, key=len):
        lifted[string] = max(lifted[string], lifted.get(string[:-1], 1))
    return lifted


def _line(word: str, rising: dict[str, int], after_space: int, glued: int) -> str:
    marks = ("+" if n and rising[word[: n + 1]] > rising[word[:n]] else "" for n in range(len(word)))
    return "".join(mark + letter for mark, letter in zip(marks, word, strict=True)) + f" {after_space}{glued}"
