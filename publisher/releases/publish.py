"""`publish`: batches from their source into the public snapshot, all of them or nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from publisher.gates.carried_over import taken
from publisher.gates.comparison import Compared, carried_batches, comparison_faults, new_batch
from publisher.gates.examination import Examination, Examined
from publisher.gates.interface import Fault
from publisher.gates.one_kind import release_faults
from publisher.gates.scan import FOUND, ByteScanner
from publisher.gates.withheld import LEAKED
from publisher.intake.interface import BatchSource
from publisher.projection.draft import Draft, RowChangedError, draft_of
from publisher.projection.file_system import FileSystem
from publisher.projection.report import Report, Reveal, withheld_by_case
from publisher.releases.change import Change, WrittenReport
from publisher.releases.errors import NothingToPublishError
from publisher.releases.held import Held
from publisher.releases.outcome import Released
from publisher.releases.writer import ReleaseWriter, Signing, release_writer
from publisher.verification.files import report_name, run_name


def publish(
    sources: Sequence[BatchSource],
    target: Path,
    scanner: ByteScanner,
    *,
    signing: Signing | None = None,
    files: FileSystem | None = None,
) -> Released:
    """Publishes batches into a target directory, beside what it already holds.

    All gates see all batches first. RefusalError (exit status 4) has every fault, and `<target>.refusal.json` says the
    same; TargetError where the target holds something else; UnsignedError where the release before is signed and this
    one can't be; WriteError where the disk fails. In each case the target is as it was. Another act on the same target
    is waited for.
    """
    unique = {source.batch_id: source for source in sources}
    if not unique:
        raise NothingToPublishError("no batch to publish", hint="name at least one; see `glassbench batch list`")
    with release_writer(target, scanner, act="publish", files=files, signing=signing) as writer:
        return _publish(list(unique.values()), writer, Examination(scanner))


def _publish(sources: Sequence[BatchSource], writer: ReleaseWriter, examination: Examination) -> Released:
    held = writer.held
    faults = [*writer.carried_faults(), *writer.carried_findings()]
    new: list[Draft] = []
    compared: list[Compared] = []
    kinds: dict[str, bool] = {}
    for source in sources:
        report = held.report(source.batch_id)
        examined = examine(examination, source, report)
        faults += examined.faults
        kinds |= kinds_of(examined)
        if report is None:
            compared += compared_of(examined)
        draft = draft_beside(examined, report)
        if draft is None:
            continue
        faults += writer.findings(report_name(source.batch_id), draft.data, source.batch_id)
        if source.batch_id not in held.batches:
            new.append(draft)
        else:
            faults += held_faults(draft, held)
    synthetic = held.verification is not None and held.verification.synthetic
    faults += release_faults(kinds, dict.fromkeys(held.batches, synthetic))
    faults += comparison_faults(compared, carried_batches(held.reports(), held.read))
    writer.refuse(faults)
    return writer.write(_change(new)) if new else writer.unchanged()


def examine(
    examination: Examination, source: BatchSource, report: Report | None, reveals: Sequence[Reveal] = ()
) -> Examined:
    """A batch through all gates as it would be public: with what was revealed of it, where the target holds its report,
    and what is to be. What only the scan or the look for leaks finds in a withdrawn run isn't public."""
    if report is None:
        return examination.examine(source)
    withheld = withheld_by_case(report.definition, (*report.reveals, *reveals))
    examined = examination.examine(source, withheld=withheld)
    faults = [f for f in examined.faults if f.code not in (FOUND, LEAKED) or f.run_id not in report.withdrawn]
    return replace(examined, faults=tuple(faults))


def draft_beside(examined: Examined, report: Report | None, reveals: Sequence[Reveal] = ()) -> Draft | None:
    """The draft of a batch, with what was withdrawn and revealed of it where the target holds its report already."""
    if report is None:
        return draft_of(examined)
    return draft_of(examined, withdrawals=report.withdrawals, reveals=(*report.reveals, *reveals))


def held_faults(draft: Draft, held: Held) -> Iterator[Fault]:
    """Where the target holds other files of a draft's batch than the draft has: a published batch never changes."""
    try:
        same = held.read(report_name(draft.report.batch_id)) == draft.data and all(
            held.read(run_name(run_id)) == data for run_id, data in draft.run_files()
        )
    except RowChangedError as error:
        yield error.fault
        return
    if not same:
        yield taken(draft.report.batch_id)


def kinds_of(examined: Examined) -> dict[str, bool]:
    """Whether a batch is synthetic, by its id; empty where that can't be told."""
    exhibit = examined.exhibit
    if exhibit is None or exhibit.definition is None:
        return {}
    return {examined.source.batch_id: any(model.synthetic for model in exhibit.definition.models)}


def compared_of(examined: Examined) -> Iterator[Compared]:
    """What a batch that isn't published yet is compared by with others; nothing where that can't be told."""
    batch = None if examined.exhibit is None else new_batch(examined.exhibit, examined.account)
    if batch is not None:
        yield batch


def _change(drafts: Sequence[Draft]) -> Change:
    def run_files() -> Iterator[tuple[str, bytes]]:
        for draft in drafts:
            for run_id, data in draft.run_files():
                yield run_name(run_id), data

    written = tuple(WrittenReport(report=draft.report, data=draft.data) for draft in drafts)
    return Change(
        added=written,
        run_files=run_files,
        size=sum(len(draft.data) + draft.artifact_size for draft in drafts),
    )
