"""Snapshots with a history: batches one release each, then one that withdraws and reveals, and a release log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from dataset.artifacts.digest import open_artifact
from dataset.canonical import canonical_bytes, sha256_hex
from dataset.measures.run_facts import RunFacts, facts_of
from dataset.questions.withholding import WITHHELD, Withheld, hides_gold, hides_question
from dataset.record import BatchId, CaseId, RunId
from publisher.projection.index import Index, IndexedReport, Release
from publisher.projection.report import PublicCase, Report, Reveal, Withdrawal, compile_report, withheld_by_case
from publisher.projection.run_file import run_file, run_line
from publisher.release_log.entry import LogEntry, ReleaseEntry, ReportEntry, RevealEntry, RunEntry, WithdrawalEntry
from publisher.release_log.files import log_files
from publisher.release_log.log import ReleaseLog, extend
from publisher.release_log.note import Signer
from publisher.release_log.sequence import AddedBatch, arranged
from tests.factories import FINISHED, SampleBatch


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
    number = len(batches) + 1
    reports = {batch.batch_id: _changed(batch, change, number) for batch in batches}
    for folder in ("reports", "runs"):
        (directory / folder).mkdir(parents=True, exist_ok=True)
    for batch in batches:
        report = reports[batch.batch_id]
        (directory / f"reports/{batch.batch_id}.json").write_bytes(report.canonical)
        for line in report.every_run:
            data = run_file(report, line, batch.artifacts[line.run_id])
            (directory / f"runs/{line.run_id}.json").write_bytes(data)
    log = _log(batches, reports, change, signers) if signers else None
    index = _index(batches, reports, number, log.origin if log else None)
    (directory / "index.json").write_bytes(canonical_bytes(index.body()))
    for name, data in log_files(log) if log else ():
        (directory / name).parent.mkdir(parents=True, exist_ok=True)
        (directory / name).write_bytes(data)
    return directory


def _changed(batch: SampleBatch, change: Change, number: int) -> Report:
    report = batch.report
    reveals = [
        Reveal(case_id=CaseId(case_id), parts=parts, release=number)
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
        cases=[
            PublicCase(
                question=None if hides_question(withheld[case.question.id]) else case.question,
                gold=None if hides_gold(withheld[case.question.id]) else case.gold,
            )
            for case in batch.cases
        ],
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


def _index(batches: Sequence[SampleBatch], reports: Mapping[BatchId, Report], number: int, origin: str | None) -> Index:
    releases = [
        Release(number=at, published_at=FINISHED, batches=(batch.batch_id,)) for at, batch in enumerate(batches, 1)
    ]
    revised = tuple(sorted(b for b, report in reports.items() if report.withdrawals or report.reveals))
    if revised:
        releases.append(Release(number=number, published_at=FINISHED, batches=(), revised=revised))
    entries = [
        IndexedReport(
            batch_id=batch.batch_id,
            sha256=sha256_hex(reports[batch.batch_id].canonical),
            runs=len(batch.artifacts),
            release=at,
        )
        for at, batch in enumerate(batches, 1)
    ]
    return Index(
        synthetic=any(report.synthetic for report in reports.values()),
        releases=tuple(releases),
        reports=tuple(sorted(entries, key=lambda entry: entry.batch_id)),
        log=origin,
    )


def _log(
    batches: Sequence[SampleBatch],
    reports: Mapping[BatchId, Report],
    change: Change,
    signers: Sequence[Signer | None],
) -> ReleaseLog | None:
    log: ReleaseLog | None = None
    for number, (batch, signer) in enumerate(zip(batches, signers, strict=False), start=1):
        report = batch.report
        runs = [
            RunEntry(run_id=run.run_id, batch_id=batch.batch_id, artifact_hash=run.artifact_hash)
            for run in report.every_run
        ]
        added = AddedBatch(
            runs=tuple(runs), report=ReportEntry(batch_id=batch.batch_id, sha256=sha256_hex(report.canonical))
        )
        log = extend(log, [arranged(_end(number), batches=[added])], signer)
    if len(signers) > len(batches):
        log = extend(log, [_change_entries(reports, change, len(signers))], signers[-1])
    return log


def _change_entries(reports: Mapping[BatchId, Report], change: Change, number: int) -> tuple[LogEntry, ...]:
    lines = {run.run_id: run for report in reports.values() for run in report.every_run}
    return arranged(
        _end(number),
        withdrawals=[
            WithdrawalEntry(run_id=RunId(run_id), artifact_hash=lines[RunId(run_id)].artifact_hash, reason=reason)
            for run_id, reason in change.withdrawn.items()
        ],
        reveals=[
            RevealEntry(run_id=run.run_id, sections=tuple(part for part in WITHHELD if part in parts))
            for (batch_id, case_id), parts in change.revealed.items()
            for run in reports[BatchId(batch_id)].every_run
            if run.case_id == case_id
        ],
        revised=[
            ReportEntry(batch_id=batch_id, sha256=sha256_hex(report.canonical))
            for batch_id, report in reports.items()
            if report.withdrawals or report.reveals
        ],
    )


def _end(number: int) -> ReleaseEntry:
    return ReleaseEntry(number=number, index_sha256=f"{number:064x}")
