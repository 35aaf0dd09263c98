"""The public file of a run: its artifact without what is withheld, or what stands in its place once it is withdrawn."""

from __future__ import annotations

from dataset.artifacts.disclosure import withhold
from dataset.artifacts.withdrawn import Withdrawn
from dataset.measures.run_facts import RunFacts, told, withdrawn_facts
from dataset.questions.withholding import Withheld
from dataset.record import BatchId
from publisher.projection.report import Report, Withdrawal


def tombstone(batch_id: BatchId, line: RunFacts, withdrawal: Withdrawal) -> Withdrawn:
    """What stands in the place of a withdrawn run; its file is the canonical bytes."""
    return Withdrawn(
        run_id=line.run_id,
        batch_id=batch_id,
        artifact_hash=line.artifact_hash,
        reason=withdrawal.reason,
        release=withdrawal.release,
    )


def run_file(report: Report, line: RunFacts, artifact: bytes) -> bytes:
    """The public file of a run of a report, from the bytes of its whole artifact."""
    withdrawal = report.withdrawn.get(line.run_id)
    if withdrawal is not None:
        return tombstone(report.batch_id, line, withdrawal).canonical
    return withhold(artifact, report.withheld(line.case_id))


def run_line(facts: RunFacts, withheld: tuple[Withheld, ...], *, withdrawn: bool) -> RunFacts:
    """What a report tells of a run, from the facts of its whole artifact."""
    return withdrawn_facts(facts) if withdrawn else told(facts, withheld)
