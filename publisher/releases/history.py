"""What each release of a snapshot did, as its files tell it; `verify` says whether they are to be believed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from dataset.record import Record, RunId
from publisher.preview.marker import require_no_preview
from publisher.projection.index import Index, Release
from publisher.projection.report import Report, Reveal
from publisher.release_log.log import ReleaseLog
from publisher.release_log.reading import read_log
from publisher.releases.errors import NoSnapshotError
from publisher.releases.log_extension import signers
from publisher.verification.document import read_record
from publisher.verification.files import INDEX, Files, report_name

R = TypeVar("R", bound=Record)


@dataclass(frozen=True, kw_only=True, slots=True)
class ReleaseTold:
    """One release: what its line in the index says, the runs that it withdrew, what it revealed, who signed it.

    `signed_by` names the keys in the log by which a signature holds. `logged` is False where no release log tells of
    the release.
    """

    release: Release
    withdrawn: tuple[RunId, ...]
    revealed: tuple[Reveal, ...]
    signed_by: tuple[str, ...]
    logged: bool


def history(directory: Path) -> list[ReleaseTold]:
    """Every release of a snapshot, the first one first. NoSnapshotError where its files can't be read."""
    require_no_preview(directory)
    files = Files(directory)
    index = _read(Index, files, INDEX)
    reports = [_read(Report, files, report_name(entry.batch_id)) for entry in index.reports]
    log = read_log(files.find).log
    if log is None and index.log is not None:
        raise NoSnapshotError(
            f"{directory}: its index names a release log, and there is none that can be read",
            hint="`glassbench verify DIR` tells what is wrong with it",
        )
    return [_told(release, reports, log) for release in index.releases]


def _told(release: Release, reports: list[Report], log: ReleaseLog | None) -> ReleaseTold:
    number = release.number
    logged = log is not None and number <= len(log.sizes)
    return ReleaseTold(
        release=release,
        withdrawn=tuple(w.run_id for report in reports for w in report.withdrawals if w.release == number),
        revealed=tuple(made for report in reports for made in report.reveals if made.release == number),
        signed_by=signers(log, number) if logged else (),
        logged=logged,
    )


def _read(kind: type[R], files: Files, name: str) -> R:
    data = files.read(name)
    if data is None:
        faults = [difference for difference in files.differences if difference.place in (".", name)]
    else:
        record, faults = read_record(kind, data, name)
        if record is not None:
            return record
    raise NoSnapshotError(
        f"{files.directory} can't be read as a snapshot: {faults[0]}",
        hint="name a directory that was published to, or a copy of one; `glassbench verify DIR` tells all",
    )
