"""What carries digits and is no quantity: identifiers (GBF-102, 000123, 600519.SH, links) and numbering."""

from __future__ import annotations

import re

CURRENCY_CODES = "CNY|RMB|CNH|USD|HKD|EUR|GBP|JPY|AUD|CAD|SGD|TWD|CHF|KRW|MOP|NZD"

LINK = re.compile(r"(?:https?://|www\.)[^\s<>\"'，。；）)\x00]{1,2000}")
ORDINAL = re.compile(
    r"^[ \t]*(?:[#>*+\-•|][ \t]*){0,4}[*_]{0,2}(?:\(\d{1,2}\)|\d{1,2}[.)、](?![\d]))(?=[ \t*_]{0,4}[^\s*_])"
    r"|(?<![A-Za-z])(?:step|section|item|point|option|part|chapter|question|note|footnote|page|article|clause)s?"
    r"\s#?\d{1,3}(?![\d%A-Za-z]|[.,]\d)"
    r"|第\s?\d{1,3}\s?(?:步|条|点|章|节|项|款|页|部分|个步骤)",
    re.IGNORECASE | re.MULTILINE,
)
DOTTED = re.compile(r"(?<![0-9A-Za-z.])(?:[vV]?\d{1,20}(?:\.\d{1,20}){2,20}|\d{4,6}\.[A-Z]{2,3})(?![0-9A-Za-z]|\.\d)")
TOKEN = re.compile(r"(?<![0-9A-Za-z])(?=[A-Za-z_-]*\d)[0-9A-Za-z]+(?:[-_]+[0-9A-Za-z]+)*")
CODE = re.compile(r"(?<![0-9.,])(?:0\d{1,40}(?![\d]|[.,]\d)|\d{26,})")

_UNITS = (
    "k|m|b|t|mn|bn|tn|mln|bln|x|pct|bp|bps|y|yr|yrs|d|h|hr|hrs|min|mins|s|sec|mo|st|nd|rd|th|am|pm|"
    f"thousand|million|billion|trillion|percent|{CURRENCY_CODES}"
)
_NUMBER = re.compile(rf"(?:{CURRENCY_CODES})?\d{{1,25}}(?:e\d{{1,2}})?(?:{_UNITS})?", re.IGNORECASE)
_WORD = re.compile(r"[A-Za-z]?[a-z]{2,}")
_LEADING = frozenset(("sub", "pre", "post", "mid", "top", "non", "under", "over", "past", "minus"))


def is_identifier(token: str) -> bool:
    """Whether a run of letters, digits and hyphens names something, rather than being a number with its unit.

    10-year, 30-day, 10-15, 1.2m's 2m and CNY500 are numbers; GBF-102, R3, ORD_7 and 400-888-1234 are not.
    """
    if not any(char.isdigit() for char in token):
        return False
    parts = [part for part in re.split(r"[-_]+", token) if part]
    numbers = [part for part in parts if any(char.isdigit() for char in part)]
    if len(numbers) > 2 or any(len(part) > 1 and part[0] == "0" and len(parts) > 1 for part in numbers):
        return True
    if not all(_NUMBER.fullmatch(part) for part in numbers):
        return True
    words = [part for part in parts if part not in numbers]
    if parts[0] in words and parts[0].lower() not in _LEADING:
        return True
    return not all(_WORD.fullmatch(word) or word in _LEADING for word in words)
