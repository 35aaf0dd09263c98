"""The public files of one batch, made from what the gates have seen of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from dataset.artifacts.definition import BatchDefinition
from dataset.canonical import sha256_hex
from dataset.questions.pack import Pack
from publisher.gates.examination import Examined
from publisher.gates.interface import Fault
from publisher.gates.sealed import ROW_CHANGED
from publisher.intake.interface import BatchSource, StoredRun
from publisher.projection.public_catalogue import publish_catalogue
from publisher.projection.report import PublicCase, Report, Reveal, Withdrawal, compile_report, withheld_by_case
from publisher.projection.run_file import run_file, run_line
from publisher.verification.chain import chains_of


class RowChangedError(Exception):
    """A row of the source isn't what the gates have seen a moment before; `fault` says which."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.message)
        self.fault = fault


@dataclass(frozen=True, kw_only=True, slots=True)
class Draft:
    """A batch that could be written: its report as bytes, and the sha256 of each whole artifact behind it."""

    source: BatchSource
    report: Report
    data: bytes = field(repr=False)
    artifacts: Mapping[str, str] = field(repr=False)
    """sha256 of the raw bytes as the gates saw them, by run id."""
    artifact_size: int

    def artifacts_again(self) -> Iterator[StoredRun]:
        """Every artifact, read from its source a second time; RowChangedError where one isn't what the gates saw."""
        missing = dict(self.artifacts)
        for stored in self.source.runs():
            if sha256_hex(stored.data) != missing.pop(stored.run_id, None):
                raise RowChangedError(self.changed(stored.run_id))
            yield stored
        for run_id in missing:
            raise RowChangedError(self.changed(run_id))

    def run_files(self) -> Iterator[tuple[str, bytes]]:
        """The run id and public file of every run; RowChangedError as above."""
        lines = {str(line.run_id): line for line in self.report.every_run}
        for stored in self.artifacts_again():
            if stored.run_id in lines:  # what nobody planned is told by its gate
                yield stored.run_id, run_file(self.report, lines[stored.run_id], stored.data)

    def changed(self, run_id: str) -> Fault:
        """The fault of a row that isn't what the gates saw."""
        return Fault(
            code=ROW_CHANGED,
            batch_id=self.report.batch_id,
            run_id=run_id,
            place="",
            message="the row changed while it was being published",
        )


def draft_of(
    examined: Examined,
    *,
    withdrawals: Sequence[Withdrawal] = (),
    reveals: Sequence[Reveal] = (),
    whole: bool = True,
) -> Draft | None:
    """The draft of an examined batch, also of a faulty one, so that its report is scanned with the rest. Withdrawals
    and reveals are those of a batch that was published before.

    None where there is too little to make a report of: no definition, a bank without its entries, a run missing; where
    it needn't be `whole`, every run missing.
    """
    exhibit, account = examined.exhibit, examined.account
    if exhibit is None or exhibit.definition is None or exhibit.head.pack is None:
        return None
    definition, pack = exhibit.definition, exhibit.head.pack
    withheld = withheld_by_case(definition, reveals)
    withdrawn = {withdrawal.run_id for withdrawal in withdrawals}
    lines = {
        run_id: run_line(facts, withheld.get(facts.case_id, ()), withdrawn=run_id in withdrawn)
        for run_id, facts in account.facts.items()
    }
    chains = list(chains_of(exhibit.planned.values(), lines))
    counting = [lines[chain.counts] for chain in chains if chain.counts is not None]
    if len(counting) < (len(chains) if whole else 1) or not _has_entries(pack, definition):
        return None
    report = compile_report(
        batch_id=examined.source.batch_id,
        definition=definition,
        cases=[
            PublicCase.of(pack.questions[case.id], pack.golds[case.id], withheld[case.id]) for case in definition.cases
        ],
        variants=[pack.variants[variant.id] for variant in definition.variants],
        runs=counting,
        superseded=[lines[run_id] for chain in chains for run_id in chain.superseded],
        catalogue=publish_catalogue(pack.catalogue),
        started_at=min(account.started),
        finished_at=max(account.finished),
        withdrawals=withdrawals,
        reveals=reveals,
    )
    return Draft(
        source=examined.source,
        report=report,
        data=report.canonical,
        artifacts=account.bytes_by_run,
        artifact_size=account.size,
    )


def _has_entries(pack: Pack, definition: BatchDefinition) -> bool:
    cases, variants = definition.cases, definition.variants
    asked = all(case.id in pack.questions and case.id in pack.golds for case in cases)
    return asked and all(variant.id in pack.variants for variant in variants)
