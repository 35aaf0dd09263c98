"""`GATE-CALIBRATED`: a judge is one whose verdicts are known to be worth something."""

from __future__ import annotations

from collections.abc import Iterator

from dataset.measures.fixed_rules.rules import VERSION
from publisher.gates.interface import Account, Exhibit, Fault

UNCALIBRATED = "GATE-CALIBRATED-001"
RULES = frozenset((VERSION,))
"""Judges that are rules: they settle what the gold asks by comparing, and have nothing to calibrate."""


class Calibrated:
    """`-001` the judge isn't one of RULES, and no calibration of it is known."""

    def batch_faults(self, batch: Exhibit, account: Account) -> Iterator[Fault]:
        """The fault of a batch under an unknown judge."""
        if batch.definition is not None and batch.definition.judge_version not in RULES:
            message = f"no calibration is known for judge {batch.definition.judge_version}"
            yield batch.fault(UNCALIBRATED, message, place="definition/judge_version")
