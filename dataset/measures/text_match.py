"""How the wording of a fact is looked for in an answer."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

_SPACE = re.compile(r"\s+")
_SPACE_BESIDE_CJK = re.compile(r"(?<=[\u3000-\u9fff\uff00-\uffef]) | (?=[\u3000-\u9fff\uff00-\uffef])")
_PLAIN = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "‐": "-", "‑": "-", "–": "-", "—": "-", "−": "-"})


# The wordings of a batch's golds are looked for in run after run; every assertion on an answer reads that answer.
_REMEMBERED_LENGTH = 1000


def fold(text: str) -> str:
    """Text after NFKC, case folding, plain quotes and dashes, and single spaces (none beside Chinese characters)."""
    return _remembered(text) if len(text) <= _REMEMBERED_LENGTH else _folded(text)


@lru_cache(maxsize=2048)
def _remembered(text: str) -> str:
    return _folded(text)


def _folded(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text).translate(_PLAIN).casefold()
    return _SPACE_BESIDE_CJK.sub("", _SPACE.sub(" ", plain)).strip()


def mentioned(text: str, wordings: Iterable[str]) -> int:
    """How many of the wordings occur in the text, both folded."""
    folded = fold(text)
    return sum(1 for wording in wordings if fold(wording) in folded)
