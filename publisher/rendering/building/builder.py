"""Does the jobs of large families: takes over what was kept, and has the rest done."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from dataset.canonical import sha256_hex
from publisher.rendering.building.kept import KeptJobs
from publisher.rendering.building.result import JobResult, result_of
from publisher.rendering.building.workers import results
from publisher.rendering.pages.interface import JobFamily, SiteSource


@dataclass(kw_only=True)
class Builder:
    """`made` counts the jobs that were done anew, `reused` those that weren't."""

    kept: KeptJobs
    made: int = 0
    reused: int = 0

    def results(self, family: JobFamily[Any], source: SiteSource) -> Iterator[JobResult]:
        """The result of every job, in the jobs' order. What is kept is looked at when its turn comes, so no more of it
        is in memory than of what is made."""
        jobs = family.jobs(source)
        keys = [_key(family, source, job) for job in jobs]
        missing = [number for number, key in enumerate(keys) if not self.kept.has(key)]
        fresh = results(family, source, [jobs[number] for number in missing])
        wanted = set(missing)
        for number, key in enumerate(keys):
            kept = None if number in wanted else self.kept.find(key)
            if kept is not None:
                self.reused += 1
                yield kept
                continue
            made = next(fresh) if number in wanted else result_of(family, source, jobs[number])
            self.kept.take(key, made)
            self.made += 1
            yield made


def _key(family: JobFamily[Any], source: SiteSource, job: Any) -> str:
    """The key of a job among those of all families, whatever else every page shows included."""
    shown = (source.standing.unsigned, source.snapshot.synthetic, source.address)
    return f"{family.name}-{family.key(source, job)}-{sha256_hex(repr(shown).encode())[:16]}"
