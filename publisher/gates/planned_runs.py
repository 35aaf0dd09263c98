"""`GATE-RUNS`: every planned run has exactly its artifacts, and there is no other."""

from __future__ import annotations

from collections.abc import Iterator

from publisher.gates.interface import Account, Exhibit, Fault
from publisher.verification.chain import chains_of

MISSING = "GATE-RUNS-001"
UNPLANNED = "GATE-RUNS-002"
REPEATED = "GATE-RUNS-003"
CHOSEN = "GATE-RUNS-004"


class PlannedRuns:
    """`-001` a planned run has no artifact, `-002` an artifact that nothing planned or whose predecessor is missing,
    `-003` two for one run, `-004` a run that isn't invalid was superseded."""

    def batch_faults(self, batch: Exhibit, account: Account) -> Iterator[Fault]:
        """The faults of the set of runs."""
        if batch.definition is None:
            return
        chains = list(chains_of(batch.planned.values(), account.seen))
        for chain in chains:
            if chain.counts is None:
                yield _fault(batch, chain.planned.run_id, MISSING, "planned, but there is no artifact")
            for run_id in chain.superseded:
                if run_id in account.facts and account.facts[run_id].verdict != "invalid":
                    yield _fault(batch, run_id, CHOSEN, "superseded, though it isn't invalid")
        accounted = {run_id for chain in chains for run_id in chain.run_ids}
        for seen, times in account.seen.items():
            if seen not in accounted:
                message = "an artifact of a run that the batch didn't plan, or that supersedes none there is"
                yield _fault(batch, seen, UNPLANNED, message)
            if times > 1:
                yield _fault(batch, seen, REPEATED, f"{times} artifacts for one run")


def _fault(batch: Exhibit, run_id: str, code: str, message: str) -> Fault:
    return Fault(code=code, batch_id=batch.batch_id, run_id=run_id, place="", message=message)
