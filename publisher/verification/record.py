"""Everything that a run's record can say against itself, whoever asks: `verify` or the gate before a release."""

from __future__ import annotations

from collections.abc import Iterator

from dataset.artifacts.artifact import Artifact
from publisher.verification.difference import Difference
from publisher.verification.ending import ending_differences
from publisher.verification.evidence import evidence_differences
from publisher.verification.governance import governance_differences
from publisher.verification.response import response_differences
from publisher.verification.timeline import timeline_differences


def record_differences(artifact: Artifact) -> Iterator[Difference]:
    """Every place where one section of a run contradicts another."""
    yield from evidence_differences(artifact)
    yield from timeline_differences(artifact)
    yield from governance_differences(artifact)
    yield from response_differences(artifact)
    yield from ending_differences(artifact)
