"""Snapshots with a history: batches one release each, then one that withdraws and reveals at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path

from dataset.artifacts.digest import open_artifact
from dataset.measures.run_facts import RunFacts, facts_of
from dataset.questions.withholding import Withheld, in_order
from dataset.record import CaseId, RunId
from publisher.projection.index import Index, next_index
from publisher.projection.report import PublicCase, Report, Reveal, Withdrawal, compile_report, withheld_by_case
from publisher.projection.run_file import run_file, run_line
from publisher.release_log.entry import LogEntry, RevealEntry, WithdrawalEntry
from publisher.release_log.note import Signer
from publisher.releases.change import WrittenReport
from tests.factories.logged import extend_log, write_logged_snapshot
from tests.factories.snapshot import SampleBatch, write_snapshot


@dataclass(frozen=True, kw_only=True)
class Change:
    """What the last release does: runs withdrawn for a reason, and parts of cases revealed, by batch."""

    withdrawn: Mapping[str, str] = field(default_factory=dict)
    revealed: Mapping[tuple[str, str], tuple[Withheld, ...]] = field(default_factory=dict)


def write_released(
    directory: Path,
    batches: Sequence[SampleBatch],
    change: Change = Change(),
    *,
    signers: Sequence[Signer | None] = (),
) -> Path:
    """A snapshot on disk whose last release makes a change; with a log where there is a signer, or None, for each
    release. Returns the directory."""
    log = write_logged_snapshot(directory, batches, signers=signers) if signers else None
    if log is None:
        write_snapshot(directory, batches)
    number = len(batches) + 1
    reports = [(batch, _changed(batch, change, number)) for batch in batches]
    revised = [WrittenReport.of(report) for _, report in reports if report.withdrawals or report.reveals]
    if not revised:
        return directory
    for batch, report in reports:
        (directory / f"reports/{report.batch_id}.json").write_bytes(report.canonical)
        for line in report.every_run:
            (directory / f"runs/{line.run_id}.json").write_bytes(run_file(report, line, batch.artifacts[line.run_id]))
    before = Index.model_validate_json((directory / "index.json").read_bytes())
    changed = {written.report.batch_id: written.entry.sha256 for written in revised}
    (directory / "index.json").write_bytes(next_index(before, (), revised=changed, log=before.log).canonical)
    if log is not None:
        entries = [entry for written in revised for entry in _entries(written.report)]
        extend_log(directory, log, _in_order(entries, revised), signer=signers[-1])
    return directory


def _changed(batch: SampleBatch, change: Change, number: int) -> Report:
    report = batch.report
    reveals = [
        Reveal(case_id=CaseId(case_id), parts=in_order(parts), release=number)
        for (batch_id, case_id), parts in change.revealed.items()
        if batch_id == batch.batch_id
    ]
    withheld = withheld_by_case(batch.definition, reveals)

    def line(run_id: RunId) -> RunFacts:
        facts = facts_of(open_artifact(batch.artifacts[run_id]))
        return run_line(facts, withheld[facts.case_id], withdrawn=run_id in change.withdrawn)

    return compile_report(
        batch_id=report.batch_id,
        definition=report.definition,
        cases=[PublicCase.of(case.question, case.gold, withheld[case.question.id]) for case in batch.cases],
        variants=report.variants,
        runs=[line(run.run_id) for run in report.runs],
        superseded=[line(run.run_id) for run in report.superseded],
        catalogue=report.catalogue,
        started_at=report.started_at,
        finished_at=report.finished_at,
        withdrawals=[
            Withdrawal(run_id=run.run_id, reason=change.withdrawn[run.run_id], release=number)
            for run in report.every_run
            if run.run_id in change.withdrawn
        ],
        reveals=reveals,
    )


def _entries(report: Report) -> Iterator[WithdrawalEntry | RevealEntry]:
    revealed = {reveal.case_id: reveal.parts for reveal in report.reveals}
    for line in report.every_run:
        if line.run_id in report.withdrawn:
            reason = report.withdrawn[line.run_id].reason
            yield WithdrawalEntry(run_id=line.run_id, artifact_hash=line.artifact_hash, reason=reason)
        elif line.case_id in revealed:
            yield RevealEntry(run_id=line.run_id, sections=revealed[CaseId(line.case_id)])


def _in_order(entries: Sequence[WithdrawalEntry | RevealEntry], revised: Sequence[WrittenReport]) -> list[LogEntry]:
    by_run = sorted(entries, key=attrgetter("run_id"))
    return [
        *(entry for entry in by_run if isinstance(entry, WithdrawalEntry)),
        *(entry for entry in by_run if isinstance(entry, RevealEntry)),
        *sorted((written.log_entry for written in revised), key=attrgetter("batch_id")),
    ]
