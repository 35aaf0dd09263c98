"""What an earlier build of the same site made, taken over where nothing that it follows from has changed.

A file in the user's cache tells for each job its key, and the name and sha256 of every page that it made. A page is
taken over only if it still has that sha256: nothing that was changed in the site since gets into the next.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import orjson
from pydantic import TypeAdapter, ValidationError

from dataset.cache import keep, read_kept
from dataset.canonical import sha256_hex
from publisher.rendering.building.fingerprint import fingerprint
from publisher.rendering.building.result import JobResult
from publisher.rendering.gathered import RunSeen
from publisher.rendering.site_file import SiteFile

_FORMAT = "glassbench.kept/1"
_SEEN: TypeAdapter[tuple[RunSeen, ...]] = TypeAdapter(tuple[RunSeen, ...])


@dataclass(kw_only=True)
class KeptJobs:
    """The jobs of the last build by their keys, and those of this one."""

    target: Path
    before: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    now: dict[str, Mapping[str, Any]] = field(default_factory=dict)

    @classmethod
    def of(cls, target: Path) -> KeptJobs:
        """What the last build into a target left; nothing where it was made by other code, or can't be read."""
        try:
            told = orjson.loads(read_kept(_place(target)) or b"")
            if (told["format"], told["fingerprint"]) == (_FORMAT, fingerprint()) and isinstance(told["jobs"], dict):
                return cls(target=target, before=told["jobs"])
        except (ValueError, KeyError, TypeError):
            pass
        return cls(target=target)

    def find(self, key: str) -> JobResult | None:
        """The result of a job with the same key, each file as it was made; None where there is none any more."""
        told = self.before.get(key)
        try:
            found = None if told is None else self._opened(told)
        except (OSError, KeyError, TypeError, ValueError, ValidationError):
            return None
        if found is not None and told is not None:
            self.now[key] = told
        return found

    def take(self, key: str, result: JobResult) -> None:
        """Remembers what a job made."""
        self.now[key] = {
            "files": {file.name: sha256_hex(file.data) for file in result.files},
            "seen": orjson.loads(_SEEN.dump_json(result.seen)),
        }

    def save(self) -> None:
        """Tells the next build; a build that can't be told of is as good."""
        told = {"format": _FORMAT, "fingerprint": fingerprint(), "jobs": self.now}
        keep(_place(self.target), orjson.dumps(told))

    def _opened(self, told: Mapping[str, Any]) -> JobResult | None:
        files = tuple(self._files(told["files"]))
        if len(files) != len(told["files"]):
            return None
        return JobResult(files=files, seen=_SEEN.validate_python(told["seen"], strict=False))

    def _files(self, told: Mapping[str, str]) -> Iterator[SiteFile]:
        for name, digest in told.items():
            data = (self.target / name).read_bytes()
            if sha256(data).hexdigest() == digest:
                yield SiteFile(name=name, data=data)


def _place(target: Path) -> str:
    return f"{sha256_hex(os.fsencode(target.resolve()))[:32]}.site"
