"""`GATE-JUDGE`: assertions are those of the gold, the record holds together, the judgment follows from it."""

from __future__ import annotations

from collections.abc import Iterator

from publisher.gates.interface import Fault, RunExhibit
from publisher.verification.assertions import assertion_differences
from publisher.verification.record import record_differences

CONTRADICTED = "GATE-JUDGE-001"


class Judgment:
    """`-001` an assertion isn't the gold's, or one section of the record contradicts another."""

    def run_faults(self, run: RunExhibit) -> Iterator[Fault]:
        """The faults of one run's judgment."""
        if run.artifact is None:
            return
        yield from run.differ(CONTRADICTED, record_differences(run.artifact))
        pack = run.batch.head.pack
        gold = pack.golds.get(run.artifact.case.case_id) if pack else None
        if gold is not None:
            yield from run.differ(CONTRADICTED, assertion_differences(run.artifact, gold))
