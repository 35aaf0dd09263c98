"""`GATE-RUNS`: every planned run has exactly its artifact, and there is no other."""

from __future__ import annotations

from collections.abc import Iterator

from publisher.gates.interface import Account, Exhibit, Fault

MISSING = "GATE-RUNS-001"
UNPLANNED = "GATE-RUNS-002"
REPEATED = "GATE-RUNS-003"


class PlannedRuns:
    """`-001` a planned run has no artifact, `-002` an artifact that nothing planned, `-003` two for one run."""

    def batch_faults(self, batch: Exhibit, account: Account) -> Iterator[Fault]:
        """The faults of the set of runs."""
        if batch.definition is None:
            return
        for run_id in batch.planned:
            if run_id not in account.seen:
                yield _fault(batch, run_id, MISSING, "planned, but there is no artifact")
        for run_id, times in account.seen.items():
            if run_id not in batch.planned:
                yield _fault(batch, run_id, UNPLANNED, "an artifact of a run that the batch didn't plan")
            if times > 1:
                yield _fault(batch, run_id, REPEATED, f"{times} artifacts for one run")


def _fault(batch: Exhibit, run_id: str, code: str, message: str) -> Fault:
    return Fault(code=code, batch_id=batch.batch_id, run_id=run_id, place="", message=message)
