"""An index as its files say, read by docs/reference/search.md alone."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from publisher.search.index import SearchFile

_CALL = re.compile(rb'glassbenchSearch\("([0-9a-f]{16})","([a-z0-9/]+)",(.*)\);\n', re.DOTALL)


def contents(files: Iterable[SearchFile]) -> dict[str, Any]:
    """What each file registers, by its name; all of one version."""
    calls = [(file.name, _CALL.fullmatch(file.data)) for file in files]
    found = {}
    for name, call in calls:
        assert call is not None, name
        assert name == f"search/{call[2].decode()}.js"
        found[call[2].decode()] = json.loads(call[3])
    assert len({call[1] for _, call in calls if call}) == 1
    return found


def postings(found: dict[str, Any]) -> dict[str, list[tuple[int, int]]]:
    """For each term its documents with their weights."""
    alphabet = found["manifest"]["alphabet"]
    terms: dict[str, list[tuple[int, int]]] = {}
    for number in range(len(found["manifest"]["terms"])):
        shard = found[f"terms/{number}"]
        for term, text in zip(shard[::2], shard[1::2], strict=True):
            terms.setdefault(term, []).extend(_read([alphabet.index(digit) for digit in text]))
    return terms


def _read(digits: list[int]) -> Iterable[tuple[int, int]]:
    document = step = power = 0
    places = iter(digits)
    for digit in places:
        step |= (digit & 31) << power
        power += 5
        if digit < 32:
            document += step
            yield document, next(places)
            step = power = 0
