"""Chinese numerals: 十二点五, 三万, 一百二十万."""

from __future__ import annotations

from decimal import Decimal

NUMERAL = "[零〇一二两三四五六七八九十百千万亿点]{1,30}"

_DIGITS = {char: number for number, char in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_SMALL_UNITS = {"十": 10, "百": 100, "千": 1000}
_BIG_UNITS = {"万": 4, "亿": 8}


def read_chinese(numeral: str) -> tuple[Decimal, int] | None:
    """The value and the exponent of the last place shown (三万: 30000 and 4), or None if it isn't a number."""
    whole, point, decimals = numeral.partition("点")
    tail = ""
    while decimals and decimals[-1] in _BIG_UNITS:
        tail, decimals = decimals[-1] + tail, decimals[:-1]
    if point and not (decimals and all(char in _DIGITS for char in decimals)):
        return None
    value = _read_whole(whole)
    if value is None:
        return None
    fraction = Decimal("".join(["0.", *(str(_DIGITS[char]) for char in decimals), "0"]))
    scale = sum(_BIG_UNITS[char] for char in tail)
    exponent = scale - len(decimals) if point else _trailing_scale(whole)
    return ((value + fraction).scaleb(scale).normalize() + 0, exponent)


def _read_whole(numeral: str) -> int | None:
    if not numeral or any(char == "点" for char in numeral):
        return None
    if len(numeral) > 1 and all(char in _DIGITS for char in numeral):
        return int("".join(str(_DIGITS[char]) for char in numeral))
    total = section = digit = 0
    for char in numeral:
        if char in _DIGITS:
            digit = _DIGITS[char]
        elif char in _SMALL_UNITS:
            section, digit = section + (digit or 1) * _SMALL_UNITS[char], 0
        else:
            grown = (section + digit or (0 if total else 1)) * 10 ** _BIG_UNITS[char]
            # 一万亿: the second big unit multiplies everything before it.
            total = total * 10 ** _BIG_UNITS[char] if section + digit == 0 and total else total + grown
            section = digit = 0
    return total + section + digit


def _trailing_scale(numeral: str) -> int:
    scale = 0
    for char in reversed(numeral):
        if char not in _BIG_UNITS:
            break
        scale += _BIG_UNITS[char]
    return scale
