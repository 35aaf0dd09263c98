"""The terms of a text for the ranking of tools: English words by their stem, Chinese by pairs of characters."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from dataset.tools.search_concepts import concepts

_PARTS = re.compile(r"[a-z]+|[0-9]+|[\u3400-\u9fff]+")
ENGLISH_FILLERS = frozenset(
    _PARTS.findall(
        "a about all am an and any anything are as at be been being both but by can could did do does doing each for "
        "from get give gives had has have having he her here hers him his how i if in into is it its just let like "
        "made make may me might my need no not now of off on one or other our out own please she should show shows so "
        "some tell tells than that the their them then there these they this those to up us use used want was we were "
        "what when where which while who whom will with would you your"
    )
)
CHINESE_FILLERS = re.compile(
    "什么|怎么|哪些|多少|一下|可以|帮忙|是否|有没有|是不是|能不能|[的了吗呢吧啊我你您他她它们请把给这那哪]"
)


def terms(text: str) -> list[str]:
    """The terms in their order, repeated ones too; words that every question has are left out.

    Chinese has no spaces, and a segmenter's dictionary would be one more thing that has to stay the same for ever:
    pairs of neighbouring characters need none. A run of a single character is a term by itself.
    """
    plain = unicodedata.normalize("NFKC", text).lower().replace("_", " ")
    found = concepts(plain)
    for part in _PARTS.findall(CHINESE_FILLERS.sub(" ", plain)):
        if part[0] >= "\u3400":
            found += [part[at : at + 2] for at in range(len(part) - 1)] or [part]
        elif part not in ENGLISH_FILLERS:
            found.append(_stem(part))
    return found


@lru_cache(maxsize=8192)
def _stem(word: str) -> str:
    """By Porter's algorithm of 1980, whose rules are frozen: later English stemmers change with their releases."""
    from snowballstemmer import stemmer

    return str(stemmer("porter").stemWord(word))
