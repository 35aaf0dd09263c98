"""What an earlier build of the same site made, taken over where nothing that it follows from has changed.

A file in the user's cache tells for each job its key, and the name, sha256 and stamp of every file that it made. A file
that has its stamp still is what the build wrote; of one that hasn't, the bytes are read and must have that sha256.
Nothing that was changed in the site since gets into the next.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import TypeAdapter

from dataset.cache import keep, read_kept
from dataset.canonical import sha256_hex
from publisher.rendering.building.fingerprint import fingerprint
from publisher.rendering.building.kept_record import (
    KeptEntry,
    KeptJob,
    KeptRecord,
    RecordHead,
    record_bytes,
    record_name,
)
from publisher.rendering.building.result import JobResult
from publisher.rendering.building.settled import clock_moved_on
from publisher.rendering.pages.gathered import RunSeen
from publisher.rendering.site.earlier import EarlierSite, FileStamp, KeptFile
from publisher.rendering.site.file import SiteFile

_SEEN: TypeAdapter[tuple[RunSeen, ...]] = TypeAdapter(tuple[RunSeen, ...])
_ROUNDS = 16
"""Each build reads one of so many parts of the files that it could believe unread: what a disk has lost without a trace
is found by then."""

_MOST_READ = 32 * 1024 * 1024
"""What is larger isn't held in memory, and made anew where it can't be believed unread."""


@dataclass(kw_only=True)
class KeptJobs:
    """The jobs of the last build by their keys, and those of this one."""

    target: Path
    before: KeptRecord = field(default_factory=KeptRecord)
    now: dict[str, KeptJob] = field(default_factory=dict)
    whole: str = ""
    """The key of the whole snapshot, and those of each family's jobs in their order."""
    listed: dict[str, Sequence[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, target: Path) -> KeptJobs:
        """What the last build into a target left; nothing where it was made by other code, or can't be read."""
        return cls(target=target, before=KeptRecord.read(read_kept(record_name(target)) or b"", fingerprint()))

    def __post_init__(self) -> None:
        self._site = EarlierSite(root=self.target)

    def has(self, key: str) -> bool:
        """Whether there was a job with this key; its files may be gone."""
        return key in self.before.lines

    def find(self, key: str) -> JobResult | None:
        """The result of a job with the same key, each file as it was made; None where there is none any more."""
        try:
            told = self.before.job(key)
            if told is None:
                return None
            result = JobResult(files=tuple(map(self._file, told.files)), seen=_SEEN.validate_json(told.seen))
        except (OSError, TypeError, ValueError):
            return None
        self.now[key] = told
        return result

    def take(self, key: str, result: JobResult) -> None:
        """Remembers what a job made."""
        self.take_files(key, ((file.name, file.sha256) for file in result.files), seen=result.seen)

    def take_files(self, key: str, files: Iterable[tuple[str, str]], *, seen: Sequence[RunSeen] = ()) -> None:
        """Remembers files by their names and sha256, and what they told."""
        entries = tuple(KeptEntry(name, sha256, None) for name, sha256 in files)
        self.now[key] = KeptJob(files=entries, seen=_SEEN.dump_json(tuple(seen)))

    def save(self, marker: str, written: Mapping[str, FileStamp]) -> None:
        """Tells the next build, once the site stands and the one before is gone; a build that can't be told of is as
        good. `written` has the stamps of files as they were written; `marker` is one that may be touched."""
        try:
            moved_on = clock_moved_on(self.target / marker)
        except OSError:
            moved_on = 0
        head = RecordHead(
            fingerprint=fingerprint(), round=self.before.round + 1, whole=self.whole, listed=dict(self.listed)
        )
        keep(record_name(self.target), record_bytes(head, self._stamped(written, moved_on)))

    def _stamped(self, written: Mapping[str, FileStamp], moved_on: int) -> Iterator[tuple[str, KeptJob]]:
        """Another name that comes and goes changes a stamp, but not what was written, and when."""
        site = EarlierSite(root=self.target)

        def stamp(name: str) -> FileStamp | None:
            found, before = site.stamp(name), written.get(name)
            whole = found is not None and before is not None and found[:3] == before[:3] and found.changed < moved_on
            return found if whole else None

        for key, job in self.now.items():
            files = tuple(KeptEntry(name, sha256, stamp(name)) for name, sha256, _ in job.files)
            yield key, KeptJob(files=files, seen=job.seen)

    def _file(self, told: KeptEntry) -> SiteFile | KeptFile:
        """ValueError where the file isn't what it was."""
        due = int(told.sha256[:1], 16) == self.before.round % _ROUNDS
        if told.stamp is not None and not due and self._site.stamp(told.name) == told.stamp:
            return KeptFile(name=told.name, sha256=told.sha256, stamp=told.stamp, site=self._site)
        data = self._site.read(told.name, most=_MOST_READ)
        if sha256_hex(data) != told.sha256:
            raise ValueError(told.name)
        return SiteFile(name=told.name, data=data)
