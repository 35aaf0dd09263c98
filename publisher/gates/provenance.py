"""`GATE-PROV`: a run's provenance, case and coordinates are those that its batch froze."""

from __future__ import annotations

from collections.abc import Iterator

from publisher.gates.interface import Fault, RunExhibit
from publisher.verification.agreement import agreement_differences

DISAGREES = "GATE-PROV-001"


class Provenance:
    """`-001` a field disagrees with the batch definition."""

    def run_faults(self, run: RunExhibit) -> Iterator[Fault]:
        """The faults of one run's provenance."""
        planned, promise = run.planned, run.batch.promise
        if run.artifact is not None and planned is not None and promise is not None:
            yield from run.differ(DISAGREES, agreement_differences(run.artifact, planned, promise))
