"""What of some batches can be shown: all gates see all of it first, and only what the scan finds keeps anything out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from dataset.canonical import sha256_hex
from publisher.gates.comparison import Compared, comparison_faults
from publisher.gates.examination import Examination, Examined
from publisher.gates.interface import Account, Fault
from publisher.gates.one_kind import release_faults
from publisher.gates.refusal import Refusal, refusal_of
from publisher.gates.scan import FOUND, ByteScanner, Scan
from publisher.intake.interface import BatchSource
from publisher.preview.errors import PreviewError, PreviewRefusedError
from publisher.projection.draft import Draft, RowChangedError, draft_of
from publisher.projection.run_file import run_file
from publisher.releases.publish import compared_of, kinds_of
from publisher.rendering.preview_notice import PreviewedBatch, PreviewNotice
from publisher.verification.files import report_name


@dataclass(frozen=True, kw_only=True, slots=True)
class Selection:
    """The batches that can be shown, each with the runs that can be; every fault, and what is left out."""

    drafts: tuple[Draft, ...] = field(repr=False)
    faults: tuple[Fault, ...]
    left_out: tuple[str, ...]

    @property
    def whole(self) -> bool:
        """Whether every planned run of every batch is shown, so that it can be verified as a release is."""
        return not self.left_out and all(
            len(draft.report.runs) == draft.report.definition.run_count for draft in self.drafts
        )

    def refusal(self, scanner: ByteScanner) -> Refusal:
        """The faults as they may be told: no word of a secret."""
        return refusal_of(list(self.faults), scanner)

    def notice(self, refusal: Refusal) -> PreviewNotice:
        """What the pages say."""
        return PreviewNotice(
            batches=tuple(
                PreviewedBatch(
                    batch_id=str(draft.report.batch_id),
                    planned=draft.report.definition.run_count,
                    shown=len(draft.report.runs),
                )
                for draft in self.drafts
            ),
            faults=tuple(refusal.lines()),
            left_out=self.left_out,
        )


def select(sources: Sequence[BatchSource], scanner: ByteScanner) -> Selection:
    """All batches through all gates, as they would be published in one release. PreviewError where there is nothing to
    show of one; PreviewRefusedError where the scan leaves nothing of any."""
    unique = {source.batch_id: source for source in sources}
    examination, scan = Examination(scanner), Scan(scanner)
    faults: list[Fault] = []
    drafts: list[Draft] = []
    left_out: list[str] = []
    compared: list[Compared] = []
    kinds: dict[str, bool] = {}
    for source in unique.values():
        examined = examination.examine(source)
        faults += examined.faults
        kinds |= kinds_of(examined)
        compared += compared_of(examined)
        _require_content(examined)
        found = {fault.run_id for fault in examined.faults if fault.code == FOUND and fault.run_id is not None}
        left_out += sorted(found)
        draft = draft_of(_without(examined, found), whole=False)
        if draft is None:
            _require_scanned(examined, found)
            left_out.append(source.batch_id)
            continue
        in_report = list(scan.file_faults(report_name(source.batch_id), draft.data, source.batch_id))
        faults += in_report
        if in_report:
            left_out.append(source.batch_id)
        else:
            drafts.append(draft)
    faults += release_faults(kinds, {})
    faults += comparison_faults(compared, ())
    selection = Selection(drafts=tuple(drafts), faults=tuple(faults), left_out=tuple(left_out))
    if not drafts:
        raise PreviewRefusedError(selection.refusal(scanner))
    return selection


def run_files(draft: Draft) -> Iterator[tuple[str, bytes]]:
    """The run id and public file of every run that is shown. Rows that were recorded since the gates looked are passed
    over: a batch may be running. RowChangedError where one was changed."""
    lines = {str(line.run_id): line for line in draft.report.every_run}
    missing = set(lines)
    for stored in draft.source.runs():
        if stored.run_id not in lines:
            continue
        missing.discard(stored.run_id)
        if sha256_hex(stored.data) != draft.artifacts[stored.run_id]:
            raise RowChangedError(draft.changed(stored.run_id))
        yield stored.run_id, run_file(draft.report, lines[stored.run_id], stored.data)
    for run_id in sorted(missing):
        raise RowChangedError(draft.changed(run_id))


def _require_content(examined: Examined) -> None:
    exhibit, batch_id = examined.exhibit, examined.source.batch_id
    if exhibit is None:
        raise PreviewError(f"there is no batch {batch_id}", hint="`glassbench batch list` names them")
    fault = exhibit.head.definition_fault or exhibit.head.pack_fault
    if exhibit.definition is None or exhibit.head.pack is None:
        raise PreviewError(
            f"what was frozen of batch {batch_id} can't be read: {fault}",
            code="PREVIEW-BATCH-003",
            hint="its tables were changed; `glassbench doctor` looks at the database",
        )
    if not examined.account.seen:
        raise PreviewError(
            f"no run of batch {batch_id} is recorded yet",
            code="PREVIEW-BATCH-002",
            hint=f"`glassbench batch run {batch_id}` makes them; the finished part can be shown from the first one on",
        )


def _require_scanned(examined: Examined, found: set[str]) -> None:
    """A batch of which nothing is left is one that the scan kept out, unless none of its runs can be believed."""
    if found:
        return
    told = next((str(fault) for fault in examined.faults), "no run of it is one that it planned")
    raise PreviewError(
        f"nothing of batch {examined.source.batch_id} can be shown: {told}",
        code="PREVIEW-BATCH-003",
        hint="its tables were changed; `glassbench doctor` looks at the database",
    )


def _without(examined: Examined, found: set[str]) -> Examined:
    """The batch as if some of its runs had never been recorded."""
    account = examined.account
    kept = Account(
        seen=account.seen,
        facts={run_id: facts for run_id, facts in account.facts.items() if run_id not in found},
        bytes_by_run=account.bytes_by_run,
        size=account.size,
        answers=account.answers,
        started=account.started,
        finished=account.finished,
    )
    return replace(examined, account=kept)
