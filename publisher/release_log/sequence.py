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
        self._hashes: dict[RunId, bytes] = {}
        self._withdrawn: set[RunId] = set()
        self._batches: set[BatchId] = set()
        self._added: set[BatchId] = set()
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
        if entry.run_id in self._hashes:
            return "its run stands in the log already"
        self._hashes[entry.run_id] = bytes.fromhex(entry.artifact_hash)
        if self._open == entry.batch_id:
            return None
        if self._open is not None:
            return f"a run of batch {entry.batch_id} among those of {self._open}"
        self._open = entry.batch_id
        return self._new_batch(entry.batch_id)

    def _new_batch(self, batch_id: BatchId) -> str | None:
        if batch_id in self._batches or batch_id in self._added:
            return f"batch {batch_id} stands in the log already"
        return self._follows(_BATCHES, batch_id)

    def _report(self, entry: ReportEntry) -> str | None:
        opened, self._open = self._open, None
        if opened is not None and opened != entry.batch_id:
            return f"follows runs of batch {opened}"
        if opened is None and entry.batch_id in self._batches:
            return self._follows(_REVISED, entry.batch_id)
        fault = self._new_batch(entry.batch_id) if opened is None else None
        self._added.add(entry.batch_id)
        return fault

    def _withdrawal(self, entry: WithdrawalEntry) -> str | None:
        fault = self._standing(entry.run_id)
        if fault is None and self._hashes[entry.run_id].hex() != entry.artifact_hash:
            fault = "not the hash that its run has in the log"
        self._withdrawn.add(entry.run_id)
        return fault or self._follows(_WITHDRAWALS, entry.run_id)

    def _reveal(self, entry: RevealEntry) -> str | None:
        return self._standing(entry.run_id) or self._follows(_REVEALS, entry.run_id)

    def _standing(self, run_id: RunId) -> str | None:
        if run_id not in self._hashes:
            return "no such run stands before it"
        return "its run was withdrawn before" if run_id in self._withdrawn else None

    def _release(self, entry: ReleaseEntry) -> str | None:
        self.releases += 1
        self._batches |= self._added
        self._added, self._last = set(), (_BATCHES, "")
        return None if entry.number == self.releases else f"stands where release {self.releases} ends"

    def _follows(self, part: int, key: str) -> str | None:
        before, self._last = self._last, (part, key)
        return None if before < self._last else "out of order in its release"
