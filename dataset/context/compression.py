"""Shorter forms of a text, without a model: layout removed, then head and tail with a mark of what is left out.

Nothing here changes a digit, a word or the order of anything: what stays is as it was written, and what goes is said.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass

from dataset.canonical import MAX_DEPTH
from dataset.context.cut import cut_back, cut_forward
from dataset.context.token_counter import count_tokens

Cost = Callable[[str], int]
"""What a text takes where it will stand, in tokens, with everything that is written around it."""

LEAST_TEXT = 40
"""Fewer tokens of a text than this say nothing: it isn't shortened that far."""
HEAD_SHARE = (2, 3)
"""Of what may stay of a text, the part that its head gets: most texts say first what they are about."""
_STEP = 1024
_STRING = r'"[^"\\]*(?:\\.[^"\\]*)*"'
_JSON_STRING = re.compile(_STRING, re.DOTALL)
_JSON_PART = re.compile(rf"({_STRING})|[ \t\n\r]+", re.DOTALL)
_BRACKET = re.compile(r"[\[\]{}]")
_GAP = re.compile(r"(?<=\S)[ \t]+")
_BLANK_LINES = re.compile(r"\n{3,}")


@dataclass(frozen=True, kw_only=True, slots=True)
class Shortened:
    """A shorter form, the tokens of the text it was made from, and how many of those were left out."""

    text: str
    tokens: int
    left_out: int


def compacted(text: str) -> str:
    """The text without layout: JSON without spaces between its tokens, anything else with single spaces.

    Indentation and single blank lines of a text that isn't JSON stay: they carry meaning in code and in lists.
    """
    if (compact := _compact_json(text)) is not None:
        return compact
    lines = [line.rstrip() for line in text.splitlines()]
    return _BLANK_LINES.sub("\n\n", "\n".join(_GAP.sub(" ", line) for line in lines)).strip("\n")


def one_line(text: str) -> str:
    """The text without layout, on one line."""
    compact = _compact_json(text)
    return " ".join(text.split()) if compact is None else compact


def omission_mark(tokens: int) -> str:
    """What stands where tokens were left out."""
    return f"[… {tokens} tokens left out …]"


def least_tokens(text_tokens: int, cost: Cost) -> int:
    """What the shortest form that says something takes of a text of so many tokens."""
    return cost(omission_mark(text_tokens)) + LEAST_TEXT


def head_and_tail(text: str, *, limit: int, cost: Cost, tokens: int | None = None) -> Shortened | None:
    """The beginning and the end of a text that costs more than `limit`, which together with their mark cost no more.

    None where so little would stay that it says nothing. `tokens` is the text's count where it is known.
    """
    total = count_tokens(text) if tokens is None else tokens
    aim = limit - cost(omission_mark(total))
    # Only the first aim must leave enough to say something: estimates and whole words take a little of it later.
    least = LEAST_TEXT // 2 if aim >= LEAST_TEXT else aim + 1
    while aim >= least:
        first = aim * HEAD_SHARE[0] // HEAD_SHARE[1]
        # Neither a word nor a number may be cut, so the ends are moved apart: never over what was aimed at.
        head = text[: cut_back(text, _head_end(text, first))].rstrip()
        tail = text[cut_forward(text, _tail_start(text, aim - first)) :].lstrip()
        over = 1
        if head + tail and len(head) + len(tail) < len(text):
            left_out = max(1, total - count_tokens(head) - count_tokens(tail))
            short = " ".join(part for part in (head, omission_mark(left_out), tail) if part)
            over = cost(short) - limit
            if over <= 0:
                return Shortened(text=short, tokens=total, left_out=left_out)
        # A little more than what is too much, so that a long text takes few rounds.
        aim -= over + aim // 32
    return None


def _compact_json(text: str) -> str | None:
    """JSON without layout, or None where the text isn't a JSON object or list; no value is read and written again."""
    if not text.lstrip().startswith(("{", "[")) or _nested(text) > MAX_DEPTH:
        return None
    try:
        json.loads(text, parse_int=str, parse_float=str)
    except (ValueError, RecursionError):
        return None
    return _JSON_PART.sub(r"\1", text)


def _nested(text: str) -> int:
    """How deep brackets stand in each other outside of strings.

    A parser's own bound depends on its caller's stack, and a strategy decides the same wherever it is asked.
    """
    depth = deepest = 0
    for bracket in _BRACKET.findall(_JSON_STRING.sub("", text)):
        depth += 1 if bracket in "{[" else -1
        deepest = max(deepest, depth)
    return deepest


def _head_end(text: str, aim: int) -> int:
    """About how many characters from the start cost `aim` tokens, counted step by step so far and no further."""
    at = 0
    while at < len(text):
        step = text[at : at + _STEP]
        if (cost := count_tokens(step)) > aim:
            return at + max(0, bisect_right(range(len(step)), aim, key=lambda n: count_tokens(step[:n])) - 1)
        aim, at = aim - cost, at + len(step)
    return at


def _tail_start(text: str, aim: int) -> int:
    """About where the last characters that cost `aim` tokens start, counted step by step from the end."""
    at = len(text)
    while at > 0:
        step = text[max(0, at - _STEP) : at]
        if (cost := count_tokens(step)) > aim:
            return at - max(0, bisect_right(range(len(step)), aim, key=lambda n: count_tokens(step[-n:] * (n > 0))) - 1)
        aim, at = aim - cost, at - len(step)
    return at
