"""The order of entries: what may follow what in one release, and what a log that holds others allows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from operator import attrgetter
from typing import assert_never

from dataset.record import BatchId, RunId
from publisher.release_log.entry import (
    LogEntry,
    ReleaseEntry,
    ReportEntry,
    RevealEntry,
    RunEntry,
    WithdrawalEntry,
    entry_name,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class AddedBatch:
    """A batch that a release adds: its runs in the order of the report, superseded ones last, and the report."""

    runs: tuple[RunEntry, ...]
    report: ReportEntry


def arranged(
    release: ReleaseEntry,
    *,
    batches: Iterable[AddedBatch] = (),
    withdrawals: Iterable[WithdrawalEntry] = (),
    reveals: Iterable[RevealEntry] = (),
    revised: Iterable[ReportEntry] = (),
) -> tuple[LogEntry, ...]:
    """The entries of one release in their order: batches by id, each its runs and then its report; withdrawals and
    reveals by run id; revised reports by batch id; the release."""
    entries: list[LogEntry] = []
    for batch in sorted(batches, key=lambda batch: batch.report.batch_id):
        entries += [*batch.runs, batch.report]
    entries += sorted(withdrawals, key=attrgetter("run_id"))
    entries += sorted(reveals, key=attrgetter("run_id"))
    entries += sorted(revised, key=attrgetter("batch_id"))
    return (*entries, release)


_BATCHES, _WITHDRAWALS, _REVEALS, _REVISED = range(4)


class EntryOrder:
    """What a log holds, as far as it decides what may follow. Entries are taken one by one, from the first on."""

    def __init__(self) -> None:
        self.releases = 0
        self._runs: dict[RunId, tuple[BatchId, bytes]] = {}
        self._withdrawn: set[RunId] = set()
        self._reports: dict[BatchId, str] = {}
        self._added: dict[BatchId, str] = {}
        self._acted: set[BatchId] = set()
        self._open: BatchId | None = None
        self._last: tuple[int, str] = (_BATCHES, "")

    def take(self, entry: LogEntry) -> str | None:
        """Takes the next entry; what is wrong with it there, or None."""
        fault = self._fault(entry)
        return None if fault is None else f"{entry_name(entry)}: {fault}"

    def _fault(self, entry: LogEntry) -> str | None:
        if self._open is not None and not isinstance(entry, RunEntry | ReportEntry):
            return f"follows runs of batch {self._open} before their report"
        match entry:
            case RunEntry():
                return self._run(entry)
            case ReportEntry():
                return self._report(entry)
            case WithdrawalEntry():
                return self._withdrawal(entry)
            case RevealEntry():
                return self._reveal(entry)
            case ReleaseEntry():
                return self._release(entry)
            case _:
                assert_never(entry)

    def _run(self, entry: RunEntry) -> str | None:
        if entry.run_id in self._runs:
            return "its run stands in the log already"
        batch_id = self._open if self._open == entry.batch_id else entry.batch_id  # one string for all its runs
        self._runs[entry.run_id] = batch_id, bytes.fromhex(entry.artifact_hash)
        if self._open == entry.batch_id:
            return None
        if self._open is not None:
            return f"a run of batch {entry.batch_id} among those of {self._open}"
        self._open = entry.batch_id
        return self._new_batch(entry.batch_id)

    def _new_batch(self, batch_id: BatchId) -> str | None:
        if batch_id in self._reports or batch_id in self._added:
            return f"batch {batch_id} stands in the log already"
        return self._follows(_BATCHES, batch_id)

    def _report(self, entry: ReportEntry) -> str | None:
        opened, self._open = self._open, None
        if opened is not None and opened != entry.batch_id:
            return f"follows runs of batch {opened}"
        if opened is None and entry.batch_id in self._reports:
            return self._follows(_REVISED, entry.batch_id) or self._revised(entry)
        fault = self._new_batch(entry.batch_id) if opened is None else None
        self._added[entry.batch_id] = entry.sha256
        return fault

    def _revised(self, entry: ReportEntry) -> str | None:
        """A report changes by what was done to its runs, and by nothing else."""
        before, self._reports[entry.batch_id] = self._reports[entry.batch_id], entry.sha256
        if entry.batch_id not in self._acted:
            return "its release withdraws and reveals no run of its batch"
        return "the same report as before" if entry.sha256 == before else None

    def _withdrawal(self, entry: WithdrawalEntry) -> str | None:
        fault = self._acts_on(entry.run_id)
        if fault is None and self._runs[entry.run_id][1].hex() != entry.artifact_hash:
            fault = "not the hash that its run has in the log"
        self._withdrawn.add(entry.run_id)
        return fault or self._follows(_WITHDRAWALS, entry.run_id)

    def _reveal(self, entry: RevealEntry) -> str | None:
        return self._acts_on(entry.run_id) or self._follows(_REVEALS, entry.run_id)

    def _acts_on(self, run_id: RunId) -> str | None:
        """Only a run that an earlier release showed is withdrawn or revealed: of any other nobody could know what it
        said."""
        if run_id not in self._runs:
            return "no such run stands before it"
        batch_id, _ = self._runs[run_id]
        self._acted.add(batch_id)
        if batch_id in self._added:
            return "the release that brought its run isn't over"
        return "its run was withdrawn before" if run_id in self._withdrawn else None

    def _release(self, entry: ReleaseEntry) -> str | None:
        self.releases += 1
        self._reports |= self._added
        self._added, self._acted, self._last = {}, set(), (_BATCHES, "")
        return None if entry.number == self.releases else f"stands where release {self.releases} ends"

    def _follows(self, part: int, key: str) -> str | None:
        before, self._last = self._last, (part, key)
        return None if before < self._last else "out of order in its release"
