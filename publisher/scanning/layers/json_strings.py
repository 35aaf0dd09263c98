"""Every string and key of a JSON document, decoded, and JSON kept inside strings."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from publisher.scanning.layers.interface import Document
from publisher.scanning.layers.json_value import Members, parse
from publisher.scanning.passage import Passage

NESTING_DEPTH = 3
Pointers = tuple[tuple[str, ...], ...]

# Names under which a value is a secret or nothing; deliberately not "key" or "token" among other words, which
# name digests, cache keys and page tokens.
CREDENTIAL_NAME = re.compile(
    r"(?i:(?:^|[_\-. ])(?:pass(?:word|wd|phrase)|pwd|secret|credentials?|authorization|cookie|"
    r"(?:api|access|secret|private|signing|account|auth|encryption)[_\- ]?key|"
    r"(?:api|access|auth|refresh|bearer|session|id|bot|personal)[_\- ]?token|client[_\- ]?secret)$)"
    r"|(?:Password|Passwd|Secret|ApiKey|AccessKey|SecretKey|PrivateKey|AuthToken|AccessToken|RefreshToken)$"
    r"|^(?i:token|apikey|accesskey|accesstoken|authtoken|clientsecret)$"
)


class JsonStrings:
    """Yields leaf strings and keys with their JSON pointer; a value under a credential name also as
    `name = "value"`, so that rules which need the word see it."""

    def passages(self, document: Document) -> Iterable[Passage]:
        """In document order; nothing for a text that is no JSON."""
        found: list[Passage] = []
        _walk(document.value, document.source, ((),), NESTING_DEPTH, found)
        return found


def _walk(value: Any, source: str, outer: Pointers, levels: int, found: list[Passage]) -> None:
    """Adds what `value` holds to `found`. `outer` ends with the pointer of `value`."""
    above, stack = outer[:-1], [(value, outer[-1])]
    while stack:
        node, tokens = stack.pop()
        if isinstance(node, str):
            _leaf(node, source, (*above, tokens), levels, found)
        elif isinstance(node, Members):
            below = [(child, (*tokens, key)) for key, child in node]
            stack.extend(reversed(below))
            for child, pointer in below:
                _member(pointer[-1], child, source, (*above, pointer), found)
        elif isinstance(node, list):
            stack.extend((node[at], (*tokens, str(at))) for at in reversed(range(len(node))))


def _leaf(text: str, source: str, pointers: Pointers, levels: int, found: list[Passage]) -> None:
    inner = parse(text) if levels else None
    found.append(Passage(text, source, "notation" if isinstance(inner, list) else "prose", pointers))
    if inner is not None:
        _walk(inner, source, (*pointers, ()), levels - 1, found)


def _member(key: str, child: Any, source: str, pointers: Pointers, found: list[Passage]) -> None:
    found.append(Passage(key, source, "prose", pointers, is_key=True))
    if isinstance(child, str) and CREDENTIAL_NAME.search(key):
        found.append(Passage(f'{key} = "{child}"', source, "prose", pointers))
