"""The labelled strings, and the forms in which a secret travels."""

from __future__ import annotations

import gzip
import json
import random
import re
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pytest

CORPUS = Path(__file__).parents[5] / "shared" / "corpora" / "secrets" / "gitleaks.jsonl.gz"
ZERO_WIDTH = "\u200b\u200c\u200d\u2060\ufeff"


def zero_width(text: str) -> str:
    """The text with a zero-width character in about every eighth place, the same at every run."""
    rng = random.Random(text)
    return "".join(char + (rng.choice(ZERO_WIDTH) if rng.random() < 0.125 else "") for char in text)


FORMS: dict[str, Callable[[str], str]] = {
    "plain": lambda text: text,
    "after a line break in JSON": lambda text: json.dumps({"a": f"x\n{text}"}),
    "base64": lambda text: b64encode(text.encode()).decode(),
    "percent-encoded": lambda text: quote(text, safe=""),
    "zero-width inside": zero_width,
}


# A name and the sign after which its value would stand; a tag.
_NAME_AND_SIGN = re.compile(r"\w[\w.-]*(?: [\w.-]+)?[\\\"']*\s*(?::=|=>|[:=])|</?\w+>")
_LONG = re.compile(r"[A-Za-z0-9+_=.~/-]{8,}")
_CUT_OFF = re.compile(r"(?:\D*\d){0,2}\D*[/=~-]")
_FILE_OR_HOST = re.compile(r"[\w/-]+(?:\.[\w-]+)*\.[A-Za-z]{2,6}")


def holds_no_value(text: str) -> bool:
    """Whether nothing of eight characters or more is left once names with their signs, tags and quotation marks are
    taken away, but the name of a file or host, or a prefix of fewer than three digits that stops at `/`, `-`, `=` or
    `~`, where the value was cut off."""
    rest = _NAME_AND_SIGN.sub(" ", text)
    return all(_FILE_OR_HOST.fullmatch(run) or _CUT_OFF.fullmatch(run) for run in _LONG.findall(rest))


def labelled() -> list[tuple[str, str]]:
    """Text and label (`secret` or `clean`) of each string; skips the test where they aren't there."""
    if not CORPUS.exists():
        pytest.skip(f"no labelled strings at {CORPUS}")
    with gzip.open(CORPUS, "rt", encoding="utf-8") as lines:
        return [(sample["text"], sample["label"]) for sample in map(json.loads, lines)]
