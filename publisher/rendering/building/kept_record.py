"""What a build tells the next one: one line for each job, read when its turn comes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, TypedDict

import orjson

from dataset.canonical import sha256_hex
from publisher.rendering.site.earlier import FileStamp

_FORMAT = "glassbench.kept/3"


class KeptEntry(NamedTuple):
    """One file of a job. `stamp` is None where the file may have been changed and it wouldn't show."""

    name: str
    sha256: str
    stamp: FileStamp | None


@dataclass(frozen=True, kw_only=True, slots=True)
class KeptJob:
    """What a job came to; `seen` is what it told later families, as JSON."""

    files: tuple[KeptEntry, ...]
    seen: bytes

    def line(self, key: str) -> bytes:
        """As it stands in the record: three parts, none of which has a tab in it."""
        files = [[name, sha256, stamp and list(stamp)] for name, sha256, stamp in self.files]
        return b"\t".join([key.encode(), orjson.dumps(files), self.seen])


class RecordHead(TypedDict):
    """The first line. `round` is the number of builds before; `whole` the key of the whole snapshot, and `listed` has
    for each family the keys of its jobs in their order."""

    fingerprint: str
    round: int
    whole: str
    listed: dict[str, Sequence[str]]


@dataclass(frozen=True, kw_only=True, slots=True)
class KeptRecord:
    """The jobs of one build by their keys; the rest is that of its head."""

    round: int = 0
    whole: str = ""
    listed: Mapping[str, Sequence[str]] = field(default_factory=dict)
    lines: Mapping[str, bytes] = field(default_factory=dict)

    @classmethod
    def read(cls, data: bytes, fingerprint: str) -> KeptRecord:
        """The record in bytes; an empty one where they are none, or were written by other code."""
        first, _, rest = data.partition(b"\n")
        try:
            form, told = orjson.loads(first)
            if (form, told["fingerprint"]) != (_FORMAT, fingerprint):
                return cls()
            lines = {line[: line.index(b"\t")].decode(): line for line in rest.split(b"\n") if line}
            return cls(round=told["round"], whole=told["whole"], listed=told["listed"], lines=lines)
        except (ValueError, KeyError, TypeError):
            return cls()

    def job(self, key: str) -> KeptJob | None:
        """A job by its key; ValueError or TypeError where its line is broken."""
        line = self.lines.get(key)
        if line is None:
            return None
        _, files, seen = line.split(b"\t")
        entries = (KeptEntry(name, sha256, stamp and FileStamp(*stamp)) for name, sha256, stamp in orjson.loads(files))
        return KeptJob(files=tuple(entries), seen=seen)


def record_bytes(head: RecordHead, jobs: Iterable[tuple[str, KeptJob]]) -> bytes:
    """The record of a build."""
    return b"\n".join([orjson.dumps([_FORMAT, head]), *(job.line(key) for key, job in jobs)])


def record_name(target: Path) -> str:
    """The name in the cache of the record of a site."""
    return f"{sha256_hex(os.fsencode(target.resolve()))[:32]}.site"
