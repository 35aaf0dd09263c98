"""What one job came to: its files in every language, and what its runs tell later families."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from publisher.rendering.pages.gathered import RunSeen
from publisher.rendering.pages.interface import JobFamily, Page, SiteSource
from publisher.rendering.pages.renderer import rendered
from publisher.rendering.site.earlier import KeptFile
from publisher.rendering.site.file import SiteFile


@dataclass(frozen=True, kw_only=True, slots=True)
class JobResult:
    """In the order in which a site is written."""

    files: tuple[SiteFile | KeptFile, ...]
    seen: tuple[RunSeen, ...]


def result_of(family: JobFamily[Any], source: SiteSource, job: Any) -> JobResult:
    """Does one job."""
    files: list[SiteFile] = []
    seen: list[RunSeen] = []
    for made in family.made(source, job):
        if isinstance(made, Page):
            files += rendered(made, source)
        elif isinstance(made, RunSeen):
            seen.append(made)
        else:
            files.append(made)
    return JobResult(files=tuple(files), seen=tuple(seen))
