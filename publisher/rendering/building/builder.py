"""Does the jobs of families: takes over what was kept, and has the rest done."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from dataset.canonical import sha256_hex
from publisher.rendering.building.kept import KeptJobs
from publisher.rendering.building.result import JobResult, result_of
from publisher.rendering.building.workers import results
from publisher.rendering.pages.interface import JobFamily, SiteSource
from publisher.rendering.site.earlier import KeptFile
from publisher.rendering.site.file import LongFile, SiteFile


@dataclass(kw_only=True)
class Builder:
    """`made` counts the jobs that were done anew, `reused` those that weren't."""

    kept: KeptJobs
    made: int = 0
    reused: int = 0

    def results(self, family: JobFamily[Any], source: SiteSource) -> Iterator[JobResult]:
        """The result of every job, in the jobs' order. What is kept is looked at when its turn comes, so no more of it
        is in memory than of what is made."""
        jobs = cache(lambda: family.jobs(source))
        keys = self._keys(family, source, jobs)
        missing = [number for number, key in enumerate(keys) if not self.kept.has(key)]
        fresh = results(family, source, [jobs()[number] for number in missing]) if missing else iter(())
        wanted = set(missing)
        for number, key in enumerate(keys):
            kept = None if number in wanted else self.kept.find(key)
            if kept is not None:
                self.reused += 1
                yield kept
                continue
            made = next(fresh) if number in wanted else result_of(family, source, jobs()[number])
            self.kept.take(key, made)
            self.made += 1
            yield made

    def in_turn(
        self, name: str, source: SiteSource, files: Callable[[], Iterator[SiteFile | LongFile]]
    ) -> Iterator[SiteFile | LongFile | KeptFile]:
        """Files that follow from the whole snapshot, and are written one after another: none is held in memory."""
        key = f"{name}-{source.whole}"
        kept = self.kept.find(key)
        if kept is not None:
            self.reused += 1
            yield from kept.files
            return
        made: list[tuple[str, str]] = []
        for file in files():
            yield file
            made.append((file.name, file.sha256))
        self.kept.take_files(key, made)
        self.made += 1

    def _keys(self, family: JobFamily[Any], source: SiteSource, jobs: Callable[[], Sequence[Any]]) -> Sequence[str]:
        """The keys of a family's jobs: where the whole snapshot is the one of the last build, those that it had, for
        then nothing needs to be looked up."""
        told = self.kept.before.listed.get(family.name) if self.kept.before.whole == source.whole else None
        keys = [_key(family, source, job) for job in jobs()] if told is None else told
        self.kept.whole, self.kept.listed[family.name] = source.whole, keys
        return keys


def _key(family: JobFamily[Any], source: SiteSource, job: Any) -> str:
    """The key of a job among those of all families, whatever else every page shows included."""
    shown = (source.standing.unsigned, source.snapshot.synthetic, source.address)
    return f"{family.name}-{family.key(source, job)}-{sha256_hex(repr(shown).encode())[:16]}"
