"""Whether a value looks drawn at random rather than written by a person."""

from __future__ import annotations

import re
from collections import Counter
from math import log2

_PLACEHOLDER = re.compile(
    r"(?i)x{4}|\*{3}|\.{2}|…|example|placeholder|redacted|change[_-]?(?:me|it)|your[_-]|^your(?=[a-z])|"
    r"my[_-]?(?:secret|password|token|key)|dummy|insert[_-]|replace[_-]|<|>|\$[{(]|(?:^|[:=/])\$[a-z_]|\{\{|%\(|"
    r"\[[A-Z][A-Z_ -]*\]|^(?:%.*%|@.*@|__.*__|\{.*\})$|^ENC\[|abcdefghij|(\d{4})-\1|0123456789|1234567890|(.)\2{5}"
)


def entropy(text: str) -> float:
    """Shannon entropy of the characters of `text`, in bits per character; 0 for an empty text."""
    return -sum(n / len(text) * log2(n / len(text)) for n in Counter(text).values())


def is_placeholder(value: str) -> bool:
    """Whether `value` only says where a secret would go."""
    return bool(_PLACEHOLDER.search(value))


def looks_random(value: str, *, bits: float = 3.0) -> bool:
    """At least `bits` per character, letters and digits both, and no placeholder."""
    mixed = any(c.isdigit() for c in value) and any(c.isalpha() for c in value)
    return mixed and not is_placeholder(value) and entropy(value) >= bits
