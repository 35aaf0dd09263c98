"""`GATE-BATCH`: the batch is a finished one, and its definition is the one that was frozen."""

from __future__ import annotations

from collections.abc import Iterator

from publisher.gates.interface import Account, Exhibit, Fault

NO_BATCH = "GATE-BATCH-001"
NOT_FINISHED = "GATE-BATCH-002"
DEFINITION_DIFFERS = "GATE-BATCH-003"


def no_batch(batch_id: str) -> Fault:
    """The fault of an id that no batch has."""
    return Fault(code=NO_BATCH, batch_id=batch_id, run_id=None, place="", message="there is no such batch")


class Finished:
    """`-002` runs are still to be done, `-003` the stored definition differs from its hash."""

    def batch_faults(self, batch: Exhibit, account: Account) -> Iterator[Fault]:
        """The faults of the batch as a whole."""
        if not batch.head.finished:
            yield batch.fault(NOT_FINISHED, "the batch isn't finished: run it to its end first")
        if batch.head.definition is None:
            yield batch.fault(DEFINITION_DIFFERS, batch.head.definition_fault, place="definition")
        elif batch.head.definition.digest() != batch.head.definition_hash:
            yield batch.fault(DEFINITION_DIFFERS, "the definition differs from its recorded hash", place="definition")
