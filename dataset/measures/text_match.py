"""How the wording of a fact is looked for in an answer."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

_SPACE = re.compile(r"\s+")
_SPACE_BESIDE_CJK = re.compile(r"(?<=[\u3000-\u9fff\uff00-\uffef]) | (?=[\u3000-\u9fff\uff00-\uffef])")
_PLAIN = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "‐": "-", "‑": "-", "–": "-", "—": "-", "−": "-"})


def fold(text: str) -> str:
    """Text after NFKC, case folding, plain quotes and dashes, and single spaces (none beside Chinese characters)."""
    plain = unicodedata.normalize("NFKC", text).translate(_PLAIN).casefold()
    return _SPACE_BESIDE_CJK.sub("", _SPACE.sub(" ", plain)).strip()


def mentioned(text: str, wordings: Iterable[str]) -> int:
    """How many of the wordings occur in the text, both folded."""
    folded = fold(text)
    return sum(1 for wording in wordings if fold(wording) in folded)
