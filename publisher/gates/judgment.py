"""`GATE-JUDGE`: observations follow from the evidence, and the judgment from the observations."""

from __future__ import annotations

from collections.abc import Iterator

from publisher.gates.interface import Fault, RunExhibit
from publisher.verification.evidence import evidence_differences

CONTRADICTED = "GATE-JUDGE-001"


class Judgment:
    """`-001` the evidence contradicts an assertion, a count or the verdict."""

    def run_faults(self, run: RunExhibit) -> Iterator[Fault]:
        """The faults of one run's judgment."""
        if run.artifact is not None:
            yield from run.differ(CONTRADICTED, evidence_differences(run.artifact))
