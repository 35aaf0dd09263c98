"""All gates over one batch: its runs pass by one at a time, and every fault of every gate is kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dataset.artifacts.definition import planned_runs
from dataset.artifacts.digest import ArtifactError, open_artifact
from dataset.artifacts.disclosure import withhold
from dataset.canonical import sha256_hex
from dataset.questions.withholding import Withheld as WithheldPart
from dataset.record import BatchId
from publisher.gates.calibrated import Calibrated
from publisher.gates.comparison import Comparison
from publisher.gates.finished import Finished, no_batch
from publisher.gates.interface import Account, BatchGate, Exhibit, Fault, RunExhibit, RunGate
from publisher.gates.judgment import Judgment
from publisher.gates.one_kind import OneKind
from publisher.gates.planned_runs import PlannedRuns
from publisher.gates.provenance import Provenance
from publisher.gates.references import References
from publisher.gates.scan import ByteScanner, Scan
from publisher.gates.sealed import Sealed
from publisher.gates.valid_runs import ValidRuns
from publisher.gates.withheld import Withholding
from publisher.intake.interface import BatchHead, BatchSource, StoredRun
from publisher.projection.report import withheld_by_case
from publisher.verification.agreement import Promise


@dataclass(frozen=True, kw_only=True, slots=True)
class Examined:
    """A batch after all gates. `exhibit` is None where there is no such batch."""

    source: BatchSource
    exhibit: Exhibit | None
    account: Account
    faults: tuple[Fault, ...]


class Examination:
    """Every gate, in order. A gate never hides another: all of them see every batch and run."""

    def __init__(self, scanner: ByteScanner) -> None:
        self._run_gates: Sequence[RunGate] = (
            Sealed(),
            Provenance(),
            References(),
            Judgment(),
            Withholding(),
            Scan(scanner),
        )
        self._batch_gates: Sequence[BatchGate] = (
            Finished(),
            PlannedRuns(),
            References(),
            ValidRuns(),
            OneKind(),
            Comparison(),
            Calibrated(),
            Withholding(),
        )

    def examine(
        self, source: BatchSource, *, withheld: Mapping[str, tuple[WithheldPart, ...]] | None = None
    ) -> Examined:
        """One batch through all gates. `withheld` says by case id what isn't published of its runs, where that is less
        than what the definition says: parts were revealed."""
        head, account = source.head(), Account()
        if head is None:
            fault = no_batch(source.batch_id)
            return Examined(source=source, exhibit=None, account=account, faults=(fault,))
        exhibit = exhibit_of(source.batch_id, head, withheld)
        of_runs: list[Fault] = []
        for stored in source.runs():
            run = open_run(exhibit, stored)
            account.add(run, sha256_hex(stored.data))
            for run_gate in self._run_gates:
                of_runs += run_gate.run_faults(run)
        of_batch = [fault for gate in self._batch_gates for fault in gate.batch_faults(exhibit, account)]
        return Examined(source=source, exhibit=exhibit, account=account, faults=(*of_batch, *of_runs))


def exhibit_of(
    batch_id: BatchId, head: BatchHead, withheld: Mapping[str, tuple[WithheldPart, ...]] | None = None
) -> Exhibit:
    """A batch with what its definition promises laid out."""
    definition, pack = head.definition, head.pack
    if definition is None:
        return Exhibit(batch_id=batch_id, head=head, promise=None, planned={})
    return Exhibit(
        batch_id=batch_id,
        head=head,
        promise=Promise(
            batch_id=batch_id,
            definition=definition,
            definition_hash=head.definition_hash,
            questions=pack.questions if pack else {},
            variants=pack.variants if pack else {},
            catalogue=pack.catalogue if pack else None,
        ),
        planned={planned.run_id: planned for planned in planned_runs(definition, batch_id)},
        withheld=withheld_by_case(definition, ()) if withheld is None else withheld,
    )


def open_run(exhibit: Exhibit, stored: StoredRun) -> RunExhibit:
    """A run opened, or with the reasons why its bytes can't be believed."""
    try:
        artifact = open_artifact(stored.data, name=stored.run_id)
    except ArtifactError as error:
        faults = tuple(error.faults)
        return RunExhibit(batch=exhibit, stored=stored, artifact=None, opening_faults=faults, public=stored.data)
    parts = exhibit.withheld.get(artifact.case.case_id, ())
    public = withhold(stored.data, parts)
    return RunExhibit(batch=exhibit, stored=stored, artifact=artifact, withheld=parts, public=public)
