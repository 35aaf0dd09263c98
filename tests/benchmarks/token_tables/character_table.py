"""The character table: what a character outside ASCII costs, and which neighbours cost more than their parts.

A vocabulary may hold a token that begins or ends inside a character and reaches over its neighbour. Such a token can
break a character that alone is one token, and the pair then costs more than its parts.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from dataset.context.token_classes import BRIDGE_COST
from tests.benchmarks.real_tokenizers import RealTokenizer
from tests.benchmarks.token_tables.word_table import highest

MEASURED = range(0x80, 0x40000)
"""The planes with letters; every character beyond them costs its UTF-8 form."""

_SURROGATES = range(0xD800, 0xE000)
_PROBES = 12


def character_lines(tokenizers: Sequence[RealTokenizer]) -> list[str]:
    """Return the lines of `token_chars.txt`: ranges of one cost in order, then the two ends of the dearer pairs."""
    chars = [chr(code) for code in MEASURED if code not in _SURROGATES]
    costs = dict(zip(chars, highest(tokenizers, chars), strict=True))
    pairs = _dearer_pairs(tokenizers, costs)
    firsts, seconds = sorted({first for first, _ in pairs}), sorted({second for _, second in pairs})
    return [*_ranges(costs), f"from {_codes(firsts)}", f"to {_codes(seconds)}"]


def _codes(chars: Iterable[str]) -> str:
    return ",".join(f"{ord(char):x}" for char in chars)


def _ranges(costs: dict[str, int]) -> Iterator[str]:
    listed = [(ord(char), cost) for char, cost in sorted(costs.items()) if cost != len(char.encode())]
    spans: list[tuple[int, int, int]] = []
    for code, cost in listed:
        if spans and spans[-1][1:] == (code - 1, cost):
            spans[-1] = (spans[-1][0], code, cost)
        else:
            spans.append((code, code, cost))
    for first, last, cost in spans:
        yield f"{cost} {first:x}-{last:x}" if last > first else f"{cost} {first:x}"


@dataclass(frozen=True, kw_only=True, slots=True)
class _Ends:
    """The characters by the bytes that they begin with, and by the continuation bytes that they end in."""

    heads: dict[bytes, list[str]] = field(default_factory=lambda: defaultdict(list))
    tails: dict[bytes, list[str]] = field(default_factory=lambda: defaultdict(list))


def _ends(chars: Iterable[str]) -> _Ends:
    ends = _Ends()
    for char in chars:
        form = char.encode()
        for cut in range(1, len(form)):
            ends.heads[form[:cut]].append(char)
            ends.tails[form[cut:]].append(char)
    return ends


def _dearer_pairs(tokenizers: Sequence[RealTokenizer], costs: dict[str, int]) -> set[tuple[str, str]]:
    """Return the pairs that cost more than their parts."""
    ends = _ends(costs)
    pairs = set()
    for tokenizer in tokenizers:
        for firsts, seconds in _seams(tokenizer.vocabulary, ends, costs):
            for first, second, excess in _probe(tokenizer, firsts, seconds, costs):
                if excess > BRIDGE_COST:
                    raise ValueError(f"{first + second!a} costs {excess} tokens more than its parts")
                pairs.add((first[-1], second[0]))
    return pairs


def _seams(vocabulary: frozenset[bytes], ends: _Ends, costs: dict[str, int]) -> Iterator[tuple[list[str], list[str]]]:
    """Yield what may stand left and right of a character boundary in each token that begins or ends inside one."""
    for token in sorted(vocabulary):
        cut = next((n for n, byte in enumerate(token) if not 0x80 <= byte < 0xC0), len(token))
        whole = token[cut:].decode(errors="ignore")
        rest = token[cut + len(whole.encode()) :]
        if 0 < cut < len(token):
            firsts = [char for char in ends.tails[token[:cut]] if costs[char] < len(char.encode())]
            yield firsts, [whole + char for char in ends.heads[rest]] if rest else [whole]
        elif rest and whole and not whole[-1].isascii():
            yield [whole], ends.heads[rest]


def _probe(
    tokenizer: RealTokenizer, firsts: list[str], seconds: list[str], costs: dict[str, int]
) -> Iterator[tuple[str, str, int]]:
    """Yield pairs that cost more than their parts, and by how much.

    A seam can have a million pairs. All firsts are tried with a few seconds, then all seconds with the firsts that
    matter, then all firsts with the seconds that matter.
    """
    found = list(_dearer(tokenizer, firsts, _spread(seconds), costs))
    yield from found
    found = list(_dearer(tokenizer, _spread(_unique(first for first, _, _ in found) or firsts), seconds, costs))
    yield from found
    if found:
        yield from _dearer(tokenizer, firsts, _spread(_unique(second for _, second, _ in found)), costs)


def _dearer(
    tokenizer: RealTokenizer, firsts: Sequence[str], seconds: Sequence[str], costs: dict[str, int]
) -> Iterator[tuple[str, str, int]]:
    for second in seconds:
        for first, cost in zip(firsts, tokenizer.counts(first + second for first in firsts), strict=True):
            excess = cost - sum(costs.get(char, 1) for char in first + second)
            if excess > 0:
                yield first, second, excess


def _unique(texts: Iterable[str]) -> list[str]:
    return sorted(set(texts))


def _spread(texts: Sequence[str]) -> Sequence[str]:
    """Return a few of the texts, evenly spread."""
    return texts[:: max(1, len(texts) // _PROBES)]
