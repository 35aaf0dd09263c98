"""Everything that a run's record can say against itself, whoever asks: `verify` or the gate before a release."""

from __future__ import annotations

from collections.abc import Iterator

from dataset.artifacts.artifact import Artifact
from publisher.verification.difference import Difference
from publisher.verification.ending import ENDING_CHECKS
from publisher.verification.evidence import EVIDENCE_CHECKS
from publisher.verification.governance import GOVERNANCE_CHECKS
from publisher.verification.response import RESPONSE_CHECKS
from publisher.verification.run_check import RunCheck, made
from publisher.verification.timeline import TIMELINE_CHECKS

RECORD_CHECKS: tuple[RunCheck[[]], ...] = (
    *EVIDENCE_CHECKS,
    *TIMELINE_CHECKS,
    *GOVERNANCE_CHECKS,
    *RESPONSE_CHECKS,
    *ENDING_CHECKS,
)


def record_differences(artifact: Artifact) -> Iterator[Difference]:
    """Every place where one section of a run contradicts another, as far as its sections are shown."""
    yield from made(RECORD_CHECKS, artifact)
