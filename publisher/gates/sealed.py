"""`GATE-SEAL`: the bytes are canonical, every section digest and the hash hold, and the row says the same."""

from __future__ import annotations

from collections.abc import Iterator

from publisher.gates.interface import Fault, RunExhibit

NOT_BELIEVED = "GATE-SEAL-001"
ROW_HASH = "GATE-SEAL-002"
ROW_ID = "GATE-SEAL-003"
ROW_CHANGED = "GATE-SEAL-004"
"""Told by the writer: a row is not what the gates have seen a moment before."""


class Sealed:
    """`-001` a digest, the hash or the form is wrong, `-002` the row's hash and `-003` the row's run id differ."""

    def run_faults(self, run: RunExhibit) -> Iterator[Fault]:
        """The faults of one artifact's seal."""
        yield from run.unbelieved(NOT_BELIEVED)
        if run.artifact is None:
            return
        if run.artifact.artifact_hash != run.stored.artifact_hash:
            yield run.fault(ROW_HASH, "the hash in the row is not the artifact's", place="/artifact_hash")
        if run.artifact.run_id != run.stored.run_id:
            yield run.fault(ROW_ID, f"the artifact is of run {run.artifact.run_id}", place="/run_id")
