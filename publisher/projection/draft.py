"""The public files of one batch, made from what the gates have seen of it."""

from __future__ import annotations

from dataclasses import dataclass, field

from dataset.canonical import canonical_bytes, sha256_hex
from dataset.questions.pack import Pack
from dataset.questions.question import Question
from publisher.gates.examination import Examined
from publisher.intake.interface import BatchSource
from publisher.projection.index import NewReport
from publisher.projection.public_catalogue import publish_catalogue
from publisher.projection.report import PublicCase, Report, compile_report
from publisher.verification.chain import chains_of


@dataclass(frozen=True, kw_only=True, slots=True)
class Draft:
    """A batch that could be written: its report as bytes, and the sha256 of each artifact that goes with it."""

    source: BatchSource
    report: Report
    data: bytes = field(repr=False)
    artifacts: dict[str, str] = field(repr=False)
    """sha256 of the raw bytes, by run id."""
    artifact_size: int

    @property
    def entry(self) -> NewReport:
        """What the index says of the report."""
        return NewReport(
            batch_id=self.report.batch_id,
            sha256=sha256_hex(self.data),
            runs=len(self.report.every_run),
            synthetic=self.report.synthetic,
            finished_at=self.report.finished_at,
        )


def draft_of(examined: Examined) -> Draft | None:
    """The draft of an examined batch, also of a faulty one, so that its report is scanned with the rest.

    None where there is too little to make a report of: no definition, a bank without its entries, a run missing.
    """
    exhibit, account = examined.exhibit, examined.account
    if exhibit is None or exhibit.definition is None or exhibit.head.pack is None:
        return None
    definition, pack = exhibit.definition, exhibit.head.pack
    facts = account.facts
    chains = list(chains_of(exhibit.planned.values(), facts))
    counting = [facts[chain.counts] for chain in chains if chain.counts is not None]
    if len(counting) < len(chains) or any(
        case.id not in pack.questions or case.id not in pack.golds for case in definition.cases
    ):
        return None
    if any(variant.id not in pack.variants for variant in definition.variants):
        return None
    report = compile_report(
        batch_id=examined.source.batch_id,
        definition=definition,
        cases=[_public_case(pack, pack.questions[case.id]) for case in definition.cases],
        variants=[pack.variants[variant.id] for variant in definition.variants],
        runs=counting,
        superseded=[facts[run_id] for chain in chains for run_id in chain.superseded],
        catalogue=publish_catalogue(pack.catalogue),
        started_at=min(account.started),
        finished_at=max(account.finished),
    )
    return Draft(
        source=examined.source,
        report=report,
        data=canonical_bytes(report.body()),
        artifacts=account.bytes_by_run,
        artifact_size=account.size,
    )


def _public_case(pack: Pack, question: Question) -> PublicCase:
    return PublicCase(question=question, gold=pack.golds[question.id])
