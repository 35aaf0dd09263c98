"""What each release of a snapshot did, as its files tell it; `verify` says whether they are to be believed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from dataset.record import Record, RunId
from publisher.projection.index import Index, Release
from publisher.projection.report import Report, Reveal
from publisher.release_log.errors import MalformedError
from publisher.release_log.files import checkpoint_name
from publisher.releases.errors import NoSnapshotError
from publisher.releases.log_extension import checkpoint_signers
from publisher.verification.document import read_record
from publisher.verification.files import INDEX, report_name

R = TypeVar("R", bound=Record)


@dataclass(frozen=True, kw_only=True, slots=True)
class ReleaseTold:
    """One release: what its line in the index says, the runs that it withdrew, what it revealed, who signed it.

    `logged` is False where the release has no checkpoint: the snapshot has no release log.
    """

    release: Release
    withdrawn: tuple[RunId, ...]
    revealed: tuple[Reveal, ...]
    signed_by: tuple[str, ...]
    logged: bool


def history(directory: Path) -> list[ReleaseTold]:
    """Every release of a snapshot, the first one first. NoSnapshotError where its files can't be read."""
    index = _read(Index, directory, INDEX)
    reports = [_read(Report, directory, report_name(entry.batch_id)) for entry in index.reports]
    return [_told(directory, release, reports) for release in index.releases]


def _told(directory: Path, release: Release, reports: list[Report]) -> ReleaseTold:
    number = release.number
    checkpoint = directory / checkpoint_name(number)
    logged = checkpoint.is_file()
    try:
        signed_by = checkpoint_signers(checkpoint.read_bytes()) if logged else ()
    except MalformedError:
        signed_by = ()
    return ReleaseTold(
        release=release,
        withdrawn=tuple(w.run_id for report in reports for w in report.withdrawals if w.release == number),
        revealed=tuple(made for report in reports for made in report.reveals if made.release == number),
        signed_by=signed_by,
        logged=logged,
    )


def _read(kind: type[R], directory: Path, name: str) -> R:
    try:
        record, faults = read_record(kind, (directory / name).read_bytes(), name)
    except OSError as error:
        raise NoSnapshotError(
            f"{directory / name} can't be read: {error.strerror or error}",
            hint="name a directory that was published to, or a copy of one",
        ) from error
    if record is None:
        raise NoSnapshotError(f"{directory / name}: {faults[0].message}", hint="see `glassbench verify DIR`")
    return record
