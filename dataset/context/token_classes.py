"""The two cost tables behind the token counter, read from the data files beside this module.

`token_words.txt` holds letter strings, one a line: `+` before a letter says that the costliest prefix grows by one
token there; the two digits are the cost of the whole word after a space and after anything else.
`token_chars.txt` holds `cost first-last` ranges (hexadecimal) of characters outside ASCII whose cost is not simply
the length of their UTF-8 form, and in its last two lines the two ends of the pairs that cost `BRIDGE_COST` more. Both
files were measured; `docs/reference/token-counter.md` says how, and `make token-tables` writes them again.
"""

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

BRIDGE_COST = 2
"""The most tokens that a pair of characters was measured to cost over its parts."""


@dataclass(frozen=True, kw_only=True, slots=True)
class WordCosts:
    """Costs in tokens of known letter strings; `prefixes` is closed: it holds every prefix of every word."""

    prefixes: dict[str, int]
    after_space: dict[str, int]
    glued: dict[str, int]


def _lines(name: str) -> list[str]:
    return files(__package__).joinpath(name).read_text("ascii").splitlines()


@cache
def word_costs() -> WordCosts:
    """Return the word table; read once per process."""
    prefixes: dict[str, int] = {}
    after_space: dict[str, int] = {}
    glued: dict[str, int] = {}
    for line in _lines("token_words.txt"):
        marked, costs = line.split(" ")
        cost, word = 1, ""
        for part in marked.split("+"):
            for letter in part:
                word += letter
                prefixes[word] = cost
            cost += 1
        after_space[word], glued[word] = int(costs[0]), int(costs[1])
    return WordCosts(prefixes=prefixes, after_space=after_space, glued=glued)


@cache
def character_costs() -> dict[int, int]:
    """Return code point → tokens for the characters that do not simply cost their UTF-8 length."""
    costs: dict[int, int] = {}
    for line in _lines("token_chars.txt"):
        cost, span = line.split(" ")
        if cost.isdigit():
            first, _, last = span.partition("-")
            costs.update(dict.fromkeys(range(int(first, 16), int(last or first, 16) + 1), int(cost)))
    return costs


@cache
def bridges() -> re.Pattern[str]:
    """Return a pattern that finds the second character of each pair that may cost `BRIDGE_COST` more than its parts."""
    named = dict(line.split(" ") for line in _lines("token_chars.txt") if line.startswith(("from", "to")))
    first, second = ([chr(int(code, 16)) for code in named[end].split(",")] for end in ("from", "to"))
    # Seen from the second, of which there are fewer; a class that reaches beyond U+FFFF is searched one by one.
    near, far = ("".join(c for c in first if (c > "\uffff") is is_far) for is_far in (False, True))
    return re.compile(f"(?s)[{''.join(second)}](?<=(?:[{near}]|[{far}]).)")
