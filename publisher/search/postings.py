"""Where each term stands, as text: for each document, the step from the one before and a weight.

A step is written in digits of base 32, the lowest first; a digit that another one follows is raised by 32. The weight
is one digit of base 64. Both use the alphabet of RFC 4648 for URLs.

The weight is BM25's (Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009, section 3.4) without the
rarity of the term: that one depends on the forms which a query takes together, and is worked out with the query.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterator
from itertools import count, pairwise

import numpy as np
from numpy.typing import NDArray

from dataset.errors import GlassbenchError
from publisher.search.document import Kind
from publisher.search.entry import Entry

ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
KIND_WEIGHTS: dict[Kind, float] = {
    "board": 1.4,
    "comparison": 1.1,
    "model": 1.7,
    "code": 1.7,
    "page": 1.7,
    "tool": 1.6,
    "case": 1.5,
    "measure": 1.6,
    "batch": 1.4,
    "release": 1.4,
    "run": 0.7,
}
"""What a page is about counts for more than where it happened: one page of a model, and thousands of its runs."""
PART = 5_000
"""The most documents in one piece of a term's postings, each of five characters at most."""

_K1, _B = 1.2, 0.6
_SCALE = 62.0 / max(KIND_WEIGHTS.values())
_CHARACTERS = np.frombuffer(ALPHABET.encode(), dtype=np.uint8)
_MOST_DIGITS = 4
MOST_DOCUMENTS = 32**_MOST_DIGITS
"""A step to one beyond them has more digits than a posting has room for."""
_AT_ONCE = 1 << 18  # postings that are written in one go: enough to be fast, few enough to be small


class IndexFullError(GlassbenchError):
    """There are more documents than an index holds."""

    code = "SITE-SEARCH-002"


class Postings:
    """The terms of documents, collected one by one: five bytes for each, and each term once."""

    def __init__(self) -> None:
        self._ids: defaultdict[str, int] = defaultdict(count().__next__)
        self._terms = array("I")
        self._counts = array("B")
        self._sizes = array("I")
        self._lengths = array("I")
        self._scales = array("d")

    def add(self, entry: Entry) -> None:
        """Takes the next document in. IndexFullError where there is no room for it."""
        if len(self._sizes) == MOST_DOCUMENTS:
            raise IndexFullError(
                f"the search holds no more than {MOST_DOCUMENTS:,} pages", hint="publish fewer runs in one site"
            )
        self._terms.extend(map(self._ids.__getitem__, entry.counts))
        self._counts.extend(entry.counts.values())
        self._sizes.append(len(entry.counts))
        self._lengths.append(entry.length)
        self._scales.append(KIND_WEIGHTS[entry.kind])

    def written(self) -> Iterator[tuple[str, str]]:
        """Each term with its postings, in as many pieces as they need; each piece starts at document 0 again. Terms
        are ordered by UTF-16 code units, as a browser compares strings."""
        if not self._terms:
            return
        names = sorted(self._ids, key=lambda term: term.encode("utf-16-be"))
        ranks = np.empty(len(names), dtype=np.uint32)
        ranks[[self._ids[name] for name in names]] = np.arange(len(names), dtype=np.uint32)
        found = ranks[np.frombuffer(self._terms, dtype=np.uint32)]
        ends = np.cumsum(np.bincount(found, minlength=len(names)))
        documents = np.repeat(np.arange(len(self._sizes), dtype=np.uint32), self._sizes)
        first = 0
        while first < len(names):
            before = int(ends[first - 1]) if first else 0
            after = max(first + 1, int(np.searchsorted(ends, before + _AT_ONCE)))
            here = np.flatnonzero((found >= first) & (found < after))
            here = here[np.argsort(found[here], kind="stable")]  # stable: a term's documents stay in order
            bounds = [0, *(ends[first:after] - before).tolist()]
            texts = self._pieces(documents[here], np.frombuffer(self._counts, dtype=np.uint8)[here], bounds)
            for name, pieces in zip(names[first:after], texts, strict=True):
                for piece in pieces:
                    yield name, piece
            first = after

    def _pieces(
        self, documents: NDArray[np.uint32], counts: NDArray[np.uint8], bounds: list[int]
    ) -> Iterator[list[str]]:
        cuts = [list(range(start, end, PART)) for start, end in pairwise(bounds)]
        steps = documents.astype(np.int64)
        steps[1:] -= steps[:-1].copy()
        restarts = [start for piece in cuts for start in piece]
        steps[restarts] = documents[restarts]
        text, ends = _written(steps, self._weights(documents, counts))
        for own, end in zip(cuts, bounds[1:], strict=True):
            edges = [int(ends[start - 1]) if start else 0 for start in (*own, end)]
            yield [text[left:right] for left, right in pairwise(edges)]

    def _weights(self, documents: NDArray[np.uint32], counts: NDArray[np.uint8]) -> NDArray[np.int64]:
        lengths = np.frombuffer(self._lengths, dtype=np.uint32)
        average = (sum(self._lengths) / len(self._lengths)) or 1.0
        norms = _K1 * (1 - _B + _B * (lengths[documents] / average))
        scales = np.frombuffer(self._scales)[documents]
        return 1 + (_SCALE * scales * counts / (norms + counts)).astype(np.int64)


def _written(steps: NDArray[np.int64], weights: NDArray[np.int64]) -> tuple[str, NDArray[np.int64]]:
    """All postings as one text, and where each of them ends in it."""
    digits = 1 + sum((steps >= 32**power).astype(np.int64) for power in range(1, _MOST_DIGITS))
    ends = np.cumsum(digits + 1)
    text = np.empty(int(ends[-1]), dtype=np.uint8)
    text[ends - 1] = _CHARACTERS[weights]
    starts = ends - digits - 1
    for place in range(_MOST_DIGITS):
        here = digits > place
        digit = (steps[here] >> (5 * place)) & 31
        follows = digits[here] > place + 1
        text[starts[here] + place] = _CHARACTERS[digit | (follows.astype(np.int64) << 5)]
    return text.tobytes().decode("ascii"), ends
