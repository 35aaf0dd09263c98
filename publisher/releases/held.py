"""What a target holds before an act: a snapshot that was verified, or nothing."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from publisher.projection.index import Index
from publisher.projection.report import Report
from publisher.release_log.reading import LogReading, read_log
from publisher.releases.errors import NoSnapshotError
from publisher.verification.difference import Verification
from publisher.verification.document import read_record
from publisher.verification.files import INDEX, Files, report_name
from publisher.verification.snapshot import SnapshotCheck


@dataclass(frozen=True, kw_only=True)
class Held:
    """A target's snapshot with its verification. Without one the verification is None, and there are no files."""

    root: Path
    files: Files = field(repr=False)
    verification: Verification | None = field(repr=False)

    @classmethod
    def of(cls, root: Path) -> Held:
        """What a directory holds, verified."""
        files, there = Files(root), os.path.lexists(root / INDEX)
        return cls(root=root, files=files, verification=SnapshotCheck(files).run().verification if there else None)

    @property
    def batches(self) -> tuple[str, ...]:
        """The ids that the index names."""
        return self.verification.batches if self.verification else ()

    @cached_property
    def index(self) -> Index | None:
        """The index; None where there is none, or none that can be read."""
        data = self.read(INDEX)
        return None if data is None else read_record(Index, data, INDEX)[0]

    @property
    def next_release(self) -> int:
        """The number of the release that an act would make."""
        return len(self.index.releases) + 1 if self.index else 1

    def require_snapshot(self) -> None:
        """NoSnapshotError where there is none, so that there is nothing to withdraw or reveal."""
        if self.verification is None:
            raise NoSnapshotError(f"{self.root} holds no snapshot", hint="name the directory that was published to")

    @cached_property
    def log(self) -> LogReading:
        """The release log."""
        return read_log(self.read)

    def report(self, batch_id: str) -> Report | None:
        """The report of a batch; None where the index names none, or none can be read."""
        data = self.read(report_name(batch_id)) if batch_id in self.batches else None
        return None if data is None else read_record(Report, data, report_name(batch_id))[0]

    def reports(self) -> Iterator[Report]:
        """Every report that can be read, one at a time, by batch id."""
        for batch_id in self.batches:
            report = self.report(batch_id)
            if report is not None:
                yield report

    def read(self, name: str) -> bytes | None:
        """The bytes of a file; None where there is none, or none that can be read, which the verification tells."""
        return self.files.find(name)

    def names(self) -> Iterator[str]:
        """The name of every regular file, in order."""
        if self.verification is not None:
            yield from sorted(self.files.present)
