"""`reveal`: parts of a batch's runs that were withheld become public, held to the digests that were published."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from publisher.gates.examination import Examination
from publisher.gates.scan import ByteScanner
from publisher.intake.interface import BatchSource
from publisher.projection.draft import Draft
from publisher.projection.file_system import FileSystem
from publisher.projection.report import Report, Reveal
from publisher.release_log.entry import RevealEntry
from publisher.releases.change import Change, WrittenReport
from publisher.releases.chosen_reveals import chosen_reveals
from publisher.releases.errors import RevealError
from publisher.releases.named_runs import nearest
from publisher.releases.outcome import Released
from publisher.releases.publish import draft_beside, examine, held_faults
from publisher.releases.writer import ReleaseWriter, Signing, release_writer
from publisher.verification.files import report_name, run_name


@dataclass(frozen=True, kw_only=True, slots=True)
class Revealing:
    """What came of it: what is public now of each case, and of how many runs; nothing where it was already. `withdrawn`
    counts the runs of those cases that were withdrawn, which stay as they are."""

    released: Released
    reveals: tuple[Reveal, ...]
    runs: int
    withdrawn: int = 0


def reveal(
    source: BatchSource,
    target: Path,
    scanner: ByteScanner,
    *,
    cases: Sequence[str] = (),
    parts: Sequence[str] = (),
    signing: Signing | None = None,
    files: FileSystem | None = None,
) -> Revealing:
    """Makes withheld parts of a batch's runs public: of all cases, or some; all parts, or some.

    The source must hold the very runs that were published: every gate passes over them again, their digests must be
    those of the snapshot, and the scan sees what would be public. Withdrawn runs stay as they are. RevealError for a
    batch, case or part that can't be revealed, NoSnapshotError, RefusalError, and the errors of every release.
    """
    with release_writer(target, scanner, act="reveal", files=files, signing=signing) as writer:
        writer.held.require_snapshot()
        writer.refuse([*writer.carried_faults(), *writer.carried_findings()])
        report = writer.held.report(source.batch_id)
        if report is None:
            known = nearest(source.batch_id, writer.held.batches, instead="see `glassbench release list --from DIR`")
            raise RevealError(f"the snapshot has no batch {source.batch_id!r}", hint=known)
        reveals = chosen_reveals(report, cases=cases, parts=parts, release=writer.held.next_release)
        if not reveals:
            return Revealing(released=writer.unchanged(), reveals=(), runs=0)
        draft = _revealed(source, report, reveals, writer, Examination(scanner))
        change = _change(draft, reveals)
        return Revealing(
            released=writer.write(change),
            reveals=reveals,
            runs=len(change.reveals),
            withdrawn=_withdrawn(report, reveals),
        )


def _revealed(
    source: BatchSource, report: Report, reveals: Sequence[Reveal], writer: ReleaseWriter, examination: Examination
) -> Draft:
    """The draft with what is revealed, once its source is found to be what was published."""
    examined = examine(examination, source, report, reveals)
    faults = list(examined.faults)
    standing = draft_beside(examined, report)
    if standing is not None:
        faults += held_faults(standing, writer.held)
    draft = draft_beside(examined, report, reveals)
    if draft is not None:
        faults += writer.findings(report_name(source.batch_id), draft.data, source.batch_id)
    writer.refuse(faults)
    if draft is None:  # where nothing can be drafted a gate has said why
        raise RevealError(
            f"batch {source.batch_id!r} can't be read from the database",
            hint="reveal from the database that it was published from; see `glassbench batch list`",
        )
    return draft


def _withdrawn(report: Report, reveals: Sequence[Reveal]) -> int:
    cases = {made.case_id for made in reveals}
    return sum(line.run_id in report.withdrawn for line in report.every_run if line.case_id in cases)


def _run_files(draft: Draft, reveals: Sequence[Reveal]) -> Iterator[tuple[str, bytes]]:
    """The run files that change."""
    changing = {entry.run_id for entry in _entries(draft.report, reveals)}
    return ((run_id, data) for run_id, data in draft.run_files() if run_id in changing)


def _entries(report: Report, reveals: Sequence[Reveal]) -> Iterator[RevealEntry]:
    parts = {str(reveal.case_id): reveal.parts for reveal in reveals}
    for line in report.every_run:
        sections = parts.get(line.case_id)
        if sections is not None and line.run_id not in report.withdrawn:
            yield RevealEntry(run_id=line.run_id, sections=sections)


def _change(draft: Draft, reveals: Sequence[Reveal]) -> Change:
    entries = tuple(_entries(draft.report, reveals))
    return Change(
        revised=(WrittenReport(report=draft.report, data=draft.data),),
        reveals=entries,
        run_files=lambda: ((run_name(run_id), data) for run_id, data in _run_files(draft, reveals)),
        replaced=frozenset(run_name(entry.run_id) for entry in entries),
        size=len(draft.data) + draft.artifact_size,
    )
