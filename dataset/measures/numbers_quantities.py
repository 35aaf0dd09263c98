"""Quantities: digits with sign, currency, scale and unit. One pattern, read on folded text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

from dataset.measures.numbers_chinese import NUMERAL, read_chinese
from dataset.measures.numbers_tokens import CURRENCY_CODES

_SCALES = {
    "thousand": 3, "million": 6, "billion": 9, "trillion": 12, "k": 3, "m": 6, "mn": 6, "mln": 6, "b": 9,
    "bn": 9, "bln": 9, "tn": 12, "千": 3, "万": 4, "萬": 4, "十万": 5, "百万": 6, "千万": 7, "亿": 8, "億": 8,
    "十亿": 9, "百亿": 10, "千亿": 11, "万亿": 12, "百": 2,
}  # fmt: skip
_CURRENCIES = {
    "$": "USD", "us$": "USD", "hk$": "HKD", "nt$": "TWD", "a$": "AUD", "c$": "CAD", "s$": "SGD", "¥": "CNY",
    "€": "EUR", "£": "GBP", "rmb": "CNY", "元": "CNY", "块": "CNY", "块钱": "CNY", "圆": "CNY",
    "人民币": "CNY", "元人民币": "CNY", "yuan": "CNY", "renminbi": "CNY", "美元": "USD", "港元": "HKD",
    "港币": "HKD", "欧元": "EUR", "日元": "JPY", "英镑": "GBP", "dollar": "USD", "dollars": "USD",
    "us dollars": "USD", "u.s. dollars": "USD", "hong kong dollars": "HKD", "euro": "EUR", "euros": "EUR",
    "pounds": "GBP", "yen": "JPY",
}  # fmt: skip
_CURRENCY_WORD = (
    r"元人民币|人民币(?!\s?\d)|美元|港元|港币|欧元|日元|英镑|元|圆|块钱|块|"
    rf"(?:{CURRENCY_CODES}|yuan|renminbi|u\.s\. dollars|us dollars|hong kong dollars|dollars?|euros?|pounds|yen)"
    r"(?![A-Za-z]|\s?\d)"
)
_PERCENT = r"%|‰|percentage\spoints?|percent(?![a-z])|per\scent(?![a-z])|pct(?![a-z])|个?百分点"
_CORE = (
    r"\d{1,3}(?:\.\d{3}){1,8},\d{1,9}(?!\d)"
    r"|\d{1,3}(?:[\u00a0\u202f\u2009]\d{3}){1,8}(?:[.,]\d{1,9})?(?!\d)"
    r"|\d{1,3}(?: \d{3}){1,8},\d{1,2}(?!\d)"
    r"|\d{1,3}(?:,\d{3}){1,8}(?!,?\d)(?:\.\d{1,25})?"
    r"|\d{1,2}(?:,\d{2}){1,8},\d{3}(?!,?\d)(?:\.\d{1,25})?"
    r"|\d{1,25}(?:\.\d{1,25})?"
    r"|(?<!\.)\.\d{1,25}"
)
QUANTITY = re.compile(
    rf"""(?P<sign>(?<![0-9A-Za-z)%\]\x00])[-+]|(?<![A-Za-z])minus\s|[负負]\s?)?
    (?<![0-9A-Za-z])
    (?P<currency>(?:(?:hk|us|nt|a|c|s)?\$|[¥€£]|人民币|(?:{CURRENCY_CODES})(?![A-Za-z]))\s?)?(?P<inner>(?<=[$¥€£])[-+])?
    (?P<per>百分之|千分之|万分之)?
    (?P<core>{_CORE})(?P<power>e[+-]?\d{{1,2}}(?![0-9A-Za-z]))?
    (?(per)|(?:\s?(?P<scale>万亿|千亿|百亿|十亿|千万|百万|十万|[亿億萬]|万(?![分一])|千(?![克米瓦分])|百(?!分)
        |(?:thousand|million|billion|trillion|mn|bn|tn|mln|bln)(?![A-Za-z])|(?<!\s)[kmb](?![A-Za-z])))?)
    (?:\s?(?:(?P<percent>{_PERCENT})|(?P<suffix>{_CURRENCY_WORD})))?
    """.replace(" dollars", r"\sdollars").replace("hong kong", r"hong\skong").replace("(?: ", r"(?:\x20"),
    re.VERBOSE | re.IGNORECASE,
)  # fmt: skip
CHINESE_QUANTITY = re.compile(
    rf"(?P<sign>[负負])?(?:(?P<per>百分之|千分之|万分之)(?P<ratio>{NUMERAL})"
    rf"|(?<![零〇一二两三四五六七八九十百千万亿点第])(?P<core>[一二两三四五六七八九十]{NUMERAL}|[一二两三四五六七八九十])"
    rf"(?:(?P<percent>%|个百分点)|(?P<currency>元人民币|美元|港元|港币|欧元|日元|英镑|人民币|元|块钱)|(?=份|股)))"
)
SCALE_WORD = re.compile(
    r"(?<![A-Za-z])(?P<word>thousand|million|billion|trillion|mn|bn|mln|bln)s?(?![A-Za-z])|(?P<chinese>亿|億|百万|万|萬)",
    re.IGNORECASE,
)
_PER = {"百分之": 0, "千分之": -1, "万分之": -2}
_APPROXIMATELY = re.compile(
    r"(?:about|around|roughly|approximately|approx\.?|nearly|almost|over|more than|under|less than|up to|circa"
    r"|[~≈约近逾]|大约|约为|超过|不到|接近|左右)\s?$",
    re.IGNORECASE,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Quantity:
    """Value with its scale applied (percentages in percent), and what was shown around the digits."""

    start: int
    end: int
    value: Decimal
    exponent: int
    scale: int
    currency: str | None
    percent: bool
    grouped: bool
    either_sign: bool


def read_quantity(match: re.Match[str]) -> Quantity:
    """The quantity a `QUANTITY` match shows."""
    digits, grouped = _plain_digits(match["core"])
    number = Decimal(digits + (match["power"] or ""))
    exponent = min(int(number.as_tuple().exponent), 0)
    power = _SCALES[match["scale"].lower()] if match["scale"] else 0
    percent = bool(match["percent"] or match["per"])
    shift = power + (_PER[match["per"]] if match["per"] else 0) - (match["percent"] == "‰")
    start, end = match.span()
    negative = (match["sign"] or match["inner"] or "").strip().lower() in ("-", "minus", "负", "負")
    either_sign, text = False, match.string
    if start and text[start - 1] == "(" and text[end : end + 1] == ")" and not negative:
        either_sign = True
        if grouped or match["currency"] or match["suffix"]:
            negative, start, end = True, start - 1, end + 1
    if not percent and exponent == 0 and not power and _APPROXIMATELY.search(text[max(0, start - 20) : start]):
        exponent = _insignificant_zeros(digits)
    return Quantity(
        start=start,
        end=end,
        value=_scaled(-number if negative else number, shift),
        exponent=exponent + shift,
        scale=power,
        currency=_currency(match["currency"] or match["suffix"]),
        percent=percent,
        grouped=grouped,
        either_sign=either_sign,
    )


def read_chinese_quantity(match: re.Match[str]) -> Quantity | None:
    """The quantity a `CHINESE_QUANTITY` match shows, or None where the characters are no number."""
    reading = read_chinese(match["ratio"] or match["core"])
    if reading is None:
        return None
    value, exponent = reading
    shift = _PER[match["per"]] if match["per"] else 0
    return Quantity(
        start=match.start(),
        end=match.end(),
        value=_scaled(-value if match["sign"] else value, shift),
        exponent=exponent + shift,
        scale=max(exponent, 0),
        currency=_currency(match["currency"]),
        percent=bool(match["per"] or match["percent"]),
        grouped=False,
        either_sign=False,
    )


def scales_named(text: str) -> frozenset[int]:
    """The powers of ten of the scale words in a text (`aum_million`, `"unit":"亿元"`), attached to a number or not."""
    found = (match["word"] or match["chinese"] for match in SCALE_WORD.finditer(text))
    return frozenset(_SCALES[word.lower()] for word in found)


def _plain_digits(core: str) -> tuple[str, bool]:
    for space in " \u00a0\u202f\u2009":
        if space in core:
            return core.replace(space, "").replace(",", "."), True
    if "." in core and "," in core and core.index(".") < core.index(","):
        return core.replace(".", "").replace(",", "."), True
    return core.replace(",", ""), "," in core


def _scaled(number: Decimal, shift: int) -> Decimal:
    # scaleb would round to the context's precision; building the tuple does not.
    sign, digits, exponent = number.as_tuple()
    return Decimal((sign, digits, int(exponent) + shift))


def _insignificant_zeros(digits: str) -> int:
    """Trailing zeros of a rounded whole number, two significant digits always kept."""
    zeros = len(digits) - len(digits.rstrip("0"))
    return max(0, min(zeros, len(digits.lstrip("0")) - 2))


def _currency(shown: str | None) -> str | None:
    if shown is None:
        return None
    name = " ".join(shown.lower().split())
    return _CURRENCIES.get(name, name.upper())
