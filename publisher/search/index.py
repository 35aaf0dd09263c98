"""The index of a site: documents go in, files come out.

The order of the documents is the order among equals; the same documents in the same order give the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from itertools import groupby

import orjson

from publisher.search.concepts import COMMON, CONCEPTS, FILLERS
from publisher.search.document import Kind, SearchDocument
from publisher.search.entry import Entry, make_entry
from publisher.search.folding import DROPPED, FOLDED
from publisher.search.postings import ALPHABET, Postings
from publisher.search.terms import JOINT, LONGEST_TERM, PAIRED, TOKEN

FOLDER = "search"
SHARD_BYTES = 30_000
"""The most that a file of terms takes."""
BLOCK_BYTES = 12_000
"""The most that a file of documents takes, if it holds more than one."""
REGISTER = "glassbenchSearch"
"""The one global function of the page's script, which each file calls."""
_FORMAT = "glassbench.search/2"
_READING = {
    "alphabet": ALPHABET,
    "longest_term": LONGEST_TERM,
    "patterns": {
        "folded": FOLDED,
        "dropped": DROPPED,
        "token": TOKEN,
        "paired": PAIRED,
        "joint": JOINT,
        "fillers": FILLERS,
        "common": COMMON,
    },
    "concepts": dict(CONCEPTS),
}
_ROOM = 200  # for the call around a file's contents


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchFile:
    """One file of an index: its name within the site, and its bytes."""

    name: str
    data: bytes


def search_files(documents: Iterable[SearchDocument]) -> Iterator[SearchFile]:
    """Every file of the index over these documents; the manifest, which names the others, comes last."""
    index = SearchIndex()
    for document in documents:
        index.add(make_entry(document))
    return index.files()


class SearchIndex:
    """Entries, collected one by one. Holds of each its row and five bytes a term."""

    def __init__(self) -> None:
        self._kinds: list[Kind] = []
        self._rows: list[bytes] = []
        self._postings = Postings()
        self._digest = sha256(orjson.dumps([_FORMAT, _READING]))

    def add(self, entry: Entry) -> None:
        """Takes one more document in."""
        self._kinds.append(entry.kind)
        self._rows.append(entry.row)
        self._digest.update(entry.digest)
        self._postings.add(entry)

    def files(self) -> Iterator[SearchFile]:
        """The files of everything that was added, the manifest last."""
        version = self._digest.hexdigest()[:16]
        blocks: list[int] = []
        shards: list[str] = []
        first = 0
        for number, rows in enumerate(_packed(self._rows, BLOCK_BYTES - _ROOM)):
            blocks.append(first)
            first += len(rows)
            yield _file(version, f"documents/{number}", b"[" + b",".join(rows) + b"]")
        pieces = (orjson.dumps(piece)[1:-1] for piece in self._postings.written())
        for number, shard in enumerate(_packed(pieces, SHARD_BYTES - _ROOM)):
            contents = b"[" + b",".join(shard) + b"]"
            shards.append(orjson.loads(contents)[0])
            yield _file(version, f"terms/{number}", contents)
        yield _file(version, "manifest", orjson.dumps(self._manifest(blocks, shards)))

    def _manifest(self, blocks: list[int], shards: list[str]) -> dict[str, object]:
        return {
            "documents": len(self._rows),
            "kinds": [(kind, len(list(group))) for kind, group in groupby(self._kinds)],
            "blocks": blocks,
            "terms": shards,
            **_READING,
        }


def _packed(items: Iterable[bytes], most: int) -> Iterator[list[bytes]]:
    """The items in order, as many together as there is room for; one that is larger stands alone."""
    held: list[bytes] = []
    size = 0
    for item in items:
        if held and size + len(item) > most:
            yield held
            held, size = [], 0
        held.append(item)
        size += len(item) + 1
    if held:
        yield held


def _file(version: str, name: str, contents: bytes) -> SearchFile:
    call = f'{REGISTER}("{version}","{name}",'.encode()
    return SearchFile(name=f"{FOLDER}/{name}.js", data=call + contents + b");\n")
