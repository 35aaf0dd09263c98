"""`withdraw`: runs that were published and shall count no more, from the snapshot alone."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from dataset.artifacts.withdrawn import LONGEST_REASON, SHORTEST_REASON, Reason
from dataset.record import RunId
from publisher.gates.scan import ByteScanner
from publisher.projection.file_system import FileSystem
from publisher.projection.report import Report, Withdrawal
from publisher.projection.run_file import tombstone
from publisher.projection.withdrawn_report import with_withdrawals
from publisher.release_log.entry import WithdrawalEntry
from publisher.releases.change import Change, WrittenReport
from publisher.releases.errors import WithdrawalError
from publisher.releases.named_runs import named_runs
from publisher.releases.outcome import Released
from publisher.releases.writer import ReleaseWriter, Signing, release_writer
from publisher.verification.files import run_name

_UNSEEN = {
    "Cc": "a control character",
    "Cf": "a format character",
    "Cs": "half of a character",
    "Co": "a character for private use",
    "Cn": "a character that isn't assigned",
    "Zl": "a line separator",
    "Zp": "a paragraph separator",
}
"""Unicode categories that a reason has nothing of but newlines: what is shown would not be what is written."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Withdrawing:
    """What came of it: the runs that were withdrawn now, and those named that had been before."""

    released: Released
    runs: tuple[RunId, ...]
    before: tuple[RunId, ...]


def withdraw(
    names: Sequence[str],
    reason: str,
    target: Path,
    scanner: ByteScanner,
    *,
    signing: Signing | None = None,
    files: FileSystem | None = None,
) -> Withdrawing:
    """Withdraws runs, or all runs of batches: a file that says why takes the place of each artifact, the runs count as
    invalid, every number of their reports is made again, and the log tells it.

    What the rest of the snapshot holds isn't scanned: a finding elsewhere must not keep a run public. WithdrawalError
    for a name or reason that is none, NoSnapshotError, RefusalError where the snapshot doesn't verify or the scan finds
    something in the reason, and the errors of every release.
    """
    told = _reason(reason)
    if not names:
        raise WithdrawalError("no run to withdraw", hint="name a run or a batch of the snapshot")
    with release_writer(target, scanner, act="withdraw", files=files, signing=signing) as writer:
        writer.held.require_snapshot()
        writer.refuse([*writer.carried_faults(), *writer.findings("reason", told.encode(), None)])
        return _withdraw(names, told, writer)


def _withdraw(names: Sequence[str], reason: str, writer: ReleaseWriter) -> Withdrawing:
    number = writer.held.next_release
    revised: list[Report] = []
    before: list[RunId] = []
    for report, lines in named_runs(names, writer.held):
        before += [line.run_id for line in lines if line.run_id in report.withdrawn]
        gone = [
            Withdrawal(run_id=line.run_id, reason=reason, release=number)
            for line in lines
            if line.run_id not in report.withdrawn
        ]
        if gone:
            revised.append(with_withdrawals(report, gone))
    if not revised:
        return Withdrawing(released=writer.unchanged(), runs=(), before=tuple(before))
    change = _change(revised, number)
    released = writer.write(change)
    return Withdrawing(
        released=released, runs=tuple(entry.run_id for entry in change.withdrawals), before=tuple(before)
    )


def _change(revised: Sequence[Report], number: int) -> Change:
    gone = [
        (report, line, report.withdrawn[line.run_id])
        for report in revised
        for line in report.every_run
        if line.run_id in report.withdrawn and report.withdrawn[line.run_id].release == number
    ]
    tombstones = {run_name(line.run_id): tombstone(report.batch_id, line, why).canonical for report, line, why in gone}
    written = tuple(map(WrittenReport.of, revised))
    return Change(
        revised=written,
        withdrawals=tuple(
            WithdrawalEntry(run_id=line.run_id, artifact_hash=line.artifact_hash, reason=why.reason)
            for _, line, why in gone
        ),
        run_files=lambda: iter(tombstones.items()),
        replaced=frozenset(tombstones),
        size=sum(len(report.data) for report in written) + sum(map(len, tombstones.values())),
    )


def _reason(text: str) -> str:
    fault = f"it must have {SHORTEST_REASON} to {LONGEST_REASON:,} characters"
    try:
        reason = TypeAdapter(Reason).validate_python(text)
    except ValidationError:
        reason = ""
    if unseen := next((c for c in text if c != "\n" and unicodedata.category(c) in _UNSEEN), None):
        reason, fault = "", f"it holds {_named(unseen)}"
    if not reason:
        raise WithdrawalError(
            f"the reason can't be published: {fault}",
            code="WITHDRAW-REASON-001",
            hint="say for everyone to read why the runs must not count",
        )
    return str(reason)


def _named(character: str) -> str:
    if "\ud800" <= character <= "\udfff":
        return "bytes that are no UTF-8"
    name = unicodedata.name(character, _UNSEEN[unicodedata.category(character)])
    return f"U+{ord(character):04X} ({name}), which nobody sees as it is"
