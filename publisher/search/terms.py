"""The terms of a text: what stands in the index, and what a query is looked up by.

- A word is itself: `Fonds` is `fonds`. Other forms of it (`refused`, `refusal`) are found by the page's script, which
  compares what words begin with: the index knows no grammar.
- An identifier, path or decimal is itself and each of its parts: `G3_AUTH_001` is also `g3`, `auth` and `001`.
  `1,234.5` is `1234.5`, `1234` and `5`.
- A run of a script without spaces (Chinese, Japanese, Korean, Thai) is each pair of neighbours, and its last
  character: any part of a sentence is found, whatever a dictionary would say of its words. A single character is found
  by what the pairs begin with.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from operator import add

from publisher.search.folding import folded

LONGEST_TERM = 64
"""Characters; what goes on after them doesn't count."""

_WORD = (
    "[0-9a-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u0dff\u0f00-\u0fff\u10a0-\u177f\u1800-\u1fff\u2c00-\u2dff\ua640-\uabff"
    "\ufb50-\ufdff\U00010000-\U0001cfff\U0001e000-\U0001efff]+"
)
PAIRED = (
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005\u3007\u3041-\u3096\u309d-\u30fa\u30fc-\u30ff\u3400-\u4dbf"
    "\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff]+"
)
JOINT = "[-_.:/@]"
"""What holds the parts of an identifier together."""
TOKEN = f"{PAIRED}|{_WORD}(?:(?:{JOINT}|(?<=[0-9]),(?=[0-9]{{3}}(?![0-9]))){_WORD})*"

_TOKEN = re.compile(TOKEN)
_PAIRED = re.compile(PAIRED)
_JOINT = re.compile(JOINT)


def tokens(text: str) -> list[str]:
    """The words, identifiers and runs without spaces of a text, in order, as they count."""
    return _TOKEN.findall(folded(text))


def term_counts(text: str) -> Counter[str]:
    """How often each term stands in a text."""
    counts: Counter[str] = Counter()
    for token, count in Counter(tokens(text)).items():
        for term in _terms(token):
            counts[term] = counts.get(term, 0) + count
    return counts


def _terms(token: str) -> Iterable[str]:
    if _PAIRED.match(token):
        return (*map(add, token, token[1:]), token[-1])
    if token.isalnum():
        return (token[:LONGEST_TERM],)
    whole = token.replace(",", "")
    parts = _JOINT.split(whole)
    return [term[:LONGEST_TERM] for term in ((whole, *parts) if len(parts) > 1 else parts)]
