"""What a replay is: the definition of a recorded batch, judged by this version, its answers taken from there."""

from __future__ import annotations

from dataset.artifacts.artifact import CodeIdentity
from dataset.artifacts.definition import BatchDefinition
from dataset.errors import GlassbenchError
from dataset.record import BatchId
from dataset.store.batches import get_batch
from dataset.store.recorded_replies import RecordedReplies
from dataset.store.session import Database


class UnreplayableError(GlassbenchError):
    """A batch whose answers can't be judged again.

    `REPLAY-BATCH-001` it isn't finished · `REPLAY-BATCH-002` the ledger says of no run what was asked.
    """

    code = "REPLAY-BATCH-001"


def replayed_definition(
    database: Database, source: BatchId, *, judge_version: str, code: CodeIdentity
) -> BatchDefinition:
    """The definition of a batch that judges the answers of another again: same pack, template, cases and models.

    A replay of a replay takes its answers where they were recorded. UnknownBatchError, UnreplayableError.
    """
    row = get_batch(database, source)
    if row.definition.replay_of is not None:
        row = get_batch(database, row.definition.replay_of)
    if row.finished_at is None:
        missing = row.counts.planned - row.counts.recorded
        raise UnreplayableError(
            f"batch {row.id} isn't finished: {missing} of {row.counts.planned} runs have no recorded answer",
            hint=f"finish it with `glassbench batch run {row.id}`, or end it with `glassbench batch cancel {row.id}`",
        )
    if not RecordedReplies(database, row.id).any_digest():
        raise UnreplayableError(
            f"batch {row.id} has no recorded question that an answer could be found by",
            code="REPLAY-BATCH-002",
            hint="it asked nothing, or an older version ran it: only what the ledger holds can be replayed",
        )
    return row.definition.model_copy(update={"replay_of": row.id, "judge_version": judge_version, "code": code})
