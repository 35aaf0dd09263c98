"""`GATE-CARRIED`: what the target already holds is sound, and no batch in it is published again as something else."""

from __future__ import annotations

from collections.abc import Iterator

from publisher.gates.interface import Fault
from publisher.verification.difference import Verification

UNSOUND = "GATE-CARRIED-001"
TAKEN = "GATE-CARRIED-002"
UNVERIFIED = "GATE-CARRIED-003"


def carried_faults(verification: Verification) -> Iterator[Fault]:
    """`-001` for each difference in the snapshot that the target holds."""
    yield from _faults(UNSOUND, verification)


def written_faults(verification: Verification) -> Iterator[Fault]:
    """`-003` for each difference in the new snapshot, read back from the disk."""
    yield from _faults(UNVERIFIED, verification)


def taken(batch_id: str) -> Fault:
    """`-002` for a batch id under which the target holds other content."""
    message = "the target holds a batch of this id with other content; a published batch never changes"
    return Fault(code=TAKEN, batch_id=batch_id, run_id=None, place="", message=message)


def _faults(code: str, verification: Verification) -> Iterator[Fault]:
    for found in verification.differences:
        values = f" (expected {found.expected}, found {found.observed})" if found.expected or found.observed else ""
        yield Fault(code=code, batch_id=None, run_id=None, place=found.place, message=found.message + values)
