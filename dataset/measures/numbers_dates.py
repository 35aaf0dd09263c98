"""Dates and times as texts write them, English and Chinese; the texts are folded before they come here."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

from dataset.measures.numbers_mention import CalendarDate, NumberKind

MASK = "\x00"

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
# Capitals are asked for: "may 12 investors" is no date.
_MONTH = (
    r"(?P<name>Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?"
    r"|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?|JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC)"
)
_YEAR = r"(?P<y>(?:19|20)\d{2})(?!\d)"
_DAY = r"(?P<d>\d{1,2})(?:st|nd|rd|th)?(?![\d%A-Za-z:]|[.,]\d)"
_BEFORE = r"(?<![0-9A-Za-z.])"


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """What a span was read as; `number` also gives its reading as a quantity (the 30 in 30日), where it has one."""

    start: int
    end: int
    kind: NumberKind
    dates: tuple[CalendarDate, ...] = ()
    moment: int | None = None
    number: Decimal | None = None


def _date(match: re.Match[str]) -> tuple[CalendarDate, ...]:
    groups = match.groupdict()
    name = groups.get("name")
    month = _MONTHS.index(name[:3].lower()) + 1 if name else _int(groups.get("m"))
    return (CalendarDate(year=_int(groups.get("y")), month=month, day=_int(groups.get("d"))),)


def _slashed(match: re.Match[str]) -> tuple[CalendarDate, ...]:
    first, second, year = int(match["a"]), int(match["b"]), int(match["y"])
    readings = {(first, second): None, (second, first): None}
    return tuple(CalendarDate(year=year, month=month, day=day) for month, day in readings)


def _int(digits: str | None) -> int | None:
    return None if digits is None else int(digits)


_DATES: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], tuple[CalendarDate, ...]]], ...] = tuple(
    (re.compile(pattern), build)
    for pattern, build in (
        (
            rf"(?<![0-9A-Za-z])(?<![0-9A-Za-z][-/._]){_YEAR}(?P<s>[-/.])(?P<m>\d{{1,2}})(?P=s)(?P<d>\d{{1,2}})(?!\d|[-/.]\d)",
            _date,
        ),
        (rf"(?<![\d/])(?P<a>\d{{1,2}})/(?P<b>\d{{1,2}})/{_YEAR}(?!/\d)", _slashed),
        (rf"{_BEFORE}(?P<d>\d{{1,2}})[- ]{_MONTH}[-, ]{{1,2}}{_YEAR}", _date),
        (rf"{_BEFORE}(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\s(?:of\s)?{_MONTH}(?![a-z])(?:\.?,?\s{_YEAR})?", _date),
        (rf"(?<![A-Za-z]){_MONTH}\.?,?\s{_YEAR}", _date),
        (rf"(?<![A-Za-z]){_MONTH}\.?\s{_DAY}(?:,?\s{_YEAR})?", _date),
        (rf"(?<!\d){_YEAR}\s?年\s?(?P<m>\d{{1,2}})\s?月(?:份|\s?(?P<d>\d{{1,2}})\s?[日号])?", _date),
        (r"(?<!\d)(?P<m>\d{1,2})\s?月(?:份|\s?(?P<d>\d{1,2})\s?[日号])?", _date),
        (rf"(?<!\d){_YEAR}\s?年", _date),
        (r"(?<![0-9A-Za-z._\-])(?P<y>(?:19|20)\d{2})(?P<m>[01]\d)(?P<d>[0-3]\d)(?![0-9A-Za-z_\-]|[.,]\d)", _date),
        (r"(?<![0-9A-Za-z])(?P<y>(?:19|20)\d{2})[- ]?[QH][1-4](?![0-9A-Za-z])", _date),
        (rf"(?<![0-9A-Za-z])(?:[QH][1-4][,\- ]{{0,2}}|FY\s?|CY\s?){_YEAR}", _date),
    )
)
_DAY_ALONE = re.compile(
    r"(?<![0-9A-Za-z.,])(?P<d>\d{1,2})(?:st|nd|rd|th|\s?[日号](?!均|线|内))(?![0-9A-Za-z])"
    rf"|{MASK}\s?(?:-|~|至|到|to|and|&)\s?(?P<d2>\d{{1,2}})(?![\d%A-Za-z:个份元股万亿]|[.,]\d)"
)
_CLOCK = re.compile(
    r"(?<![0-9:.,])(?P<h>[01]?\d|2[0-4]):(?P<m>[0-5]\d)(?::[0-5]\d(?:\.\d{1,9})?)?(?![0-9:])"
    r"(?:\s?(?P<half>[aApP])\.?[mM]\b\.?)?"
)
_HOUR = re.compile(r"(?<![0-9A-Za-z:.,])(?P<h>1[0-2]|[1-9])\s?(?P<half>[aApP])(?:m|M|\.m\.|\.M\.)(?![A-Za-z])")
_CHINESE_HOUR = re.compile(
    r"(?:(?P<part>凌晨|早上|上午|中午|下午|晚上)\s?)?(?<![0-9.,])(?P<h>[01]?\d|2[0-4])\s?[点时]"
    r"(?:(?P<m>[0-5]?\d)\s?分|(?P<half>半))?"
)


def _dated(
    build: Callable[[re.Match[str]], tuple[CalendarDate, ...]],
) -> Callable[[re.Match[str]], Reading | None]:
    return lambda match: _as_date(match, build(match))


def _as_date(match: re.Match[str], dates: tuple[CalendarDate, ...]) -> Reading | None:
    possible = tuple(date for date in dates if date.is_possible)
    if not possible:
        return None
    return Reading(start=match.start(), end=match.end(), kind="date", dates=possible)


def _as_day(match: re.Match[str]) -> Reading | None:
    group = "d" if match["d"] else "d2"
    day = int(match[group])
    if not 1 <= day <= 31:
        return None
    end = match.end(group) if group == "d2" else match.end()
    dates = (CalendarDate(day=day),)
    return Reading(start=match.start(group), end=end, kind="date", dates=dates, number=Decimal(day))


def _as_clock(match: re.Match[str]) -> Reading | None:
    groups = match.groupdict()
    hour = int(match["h"]) + (12 if (groups["half"] or "").lower() == "p" and int(match["h"]) < 12 else 0)
    moment = hour * 60 + int(groups.get("m") or 0)
    return Reading(start=match.start(), end=match.end(), kind="time", moment=moment)


def _as_chinese_hour(match: re.Match[str]) -> Reading | None:
    hour = int(match["h"])
    bare = match["part"] is None and match["m"] is None and match["half"] is None
    afternoon = match["part"] in ("下午", "晚上") and hour < 12
    moment = (hour + 12 * afternoon) * 60 + (30 if match["half"] else int(match["m"] or 0))
    # 上涨12点 is a number of points as well as an hour, and 3点需要注意 isn't an hour at all.
    number = Decimal(hour) if bare else None
    start = match.start() if match["part"] is None else match.start("h")
    return Reading(start=start, end=match.end(), kind="time", moment=moment, number=number)


DATE_FORMS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Reading | None]], ...] = (
    *((pattern, _dated(build)) for pattern, build in _DATES),
    (_DAY_ALONE, _as_day),
    (_CLOCK, _as_clock),
    (_HOUR, _as_clock),
    (_CHINESE_HOUR, _as_chinese_hour),
)
"""Pattern and reader of each form of date and time, in the order in which they claim their spans."""
