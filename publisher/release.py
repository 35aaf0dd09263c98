"""`publish`: batches from their source into the public snapshot, all of them or nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from dataset.canonical import canonical_bytes, sha256_hex
from dataset.errors import GlassbenchError
from publisher.gates.carried_over import carried_faults, taken, written_faults
from publisher.gates.examination import Examination
from publisher.gates.interface import Fault
from publisher.gates.one_kind import release_faults
from publisher.gates.refusal import RefusalError, refusal_of
from publisher.gates.scan import ByteScanner, Scan
from publisher.gates.sealed import ROW_CHANGED
from publisher.intake.interface import BatchSource
from publisher.projection.draft import Draft, draft_of
from publisher.projection.errors import write_error
from publisher.projection.file_system import FileSystem
from publisher.projection.index import Index, Release, next_index
from publisher.projection.target import Target, locked_target
from publisher.verification.difference import Verification
from publisher.verification.document import read_record
from publisher.verification.files import FOLDERS, INDEX, Files, report_name, run_name
from publisher.verification.snapshot import verify


class NothingToPublishError(GlassbenchError):
    """No batch was named."""

    code = "PUBLISH-EMPTY-001"


@dataclass(frozen=True, kw_only=True, slots=True)
class Published:
    """What the target holds now. `changed` is False where it held all of it before, and no byte was touched.

    `digest` is the sha256 of `index.json`; `release` the latest release; `runs` and `batches` count the whole snapshot.
    """

    target: Path
    changed: bool
    digest: str
    release: Release
    batches: int
    runs: int


def publish(
    sources: Sequence[BatchSource], target: Path, scanner: ByteScanner, *, files: FileSystem | None = None
) -> Published:
    """Publishes batches into a target directory, beside what it already holds.

    All gates see all batches first. RefusalError (exit status 4) has every fault, and `<target>.refusal.json` says the
    same; TargetError where the target holds something else; WriteError where the disk fails. In each case the target
    is as it was. Another publisher of the same target is waited for.
    """
    unique = {source.batch_id: source for source in sources}
    if not unique:
        raise NothingToPublishError("no batch to publish", hint="name at least one; see `glassbench batch list`")
    with locked_target(target, files or FileSystem()) as place:
        return _Publication(place, scanner, files or FileSystem()).run(list(unique.values()))


class _Publication:
    """One act of publishing, with the target held."""

    def __init__(self, target: Target, scanner: ByteScanner, files: FileSystem) -> None:
        self._target = target
        self._scanner = scanner
        self._scan = Scan(scanner)
        self._files = files

    def run(self, sources: Sequence[BatchSource]) -> Published:
        carried = verify(self._target.path) if self._target.holds_snapshot else None
        faults = [*carried_faults(carried), *self._carried_findings()] if carried else []
        examination = Examination(self._scanner)
        drafts: list[Draft] = []
        kinds: dict[str, bool] = {}
        for source in sources:
            examined = examination.examine(source)
            faults += examined.faults
            if examined.exhibit is not None and examined.exhibit.definition is not None:
                kinds[source.batch_id] = any(model.synthetic for model in examined.exhibit.definition.models)
            draft = draft_of(examined)
            if draft is not None:
                drafts.append(draft)
                faults += self._scan.file_faults(report_name(source.batch_id), draft.data, source.batch_id)
        new = [draft for draft in drafts if not self._already_there(draft, carried, faults)]
        previous = {} if carried is None else dict.fromkeys(carried.batches, carried.synthetic)
        faults += release_faults(kinds, previous)
        if not new:
            self._refuse(faults)
            return self._outcome(changed=False)
        index = canonical_bytes(next_index(self._index(), [draft.entry for draft in new]).body())
        faults += self._scan.file_faults(INDEX, index, None)
        self._refuse(faults)
        self._write(new, index)
        return self._outcome(changed=True)

    def _carried_findings(self) -> Iterator[Fault]:
        """What the scan finds in the files that the target holds: rules and known values may be newer than they are."""
        held = Files(self._target.path)
        for name in sorted(held.present):
            # what can't be read is told by the verification
            yield from self._scan.file_faults(name, held.read(name) or b"", None)

    def _already_there(self, draft: Draft, carried: Verification | None, faults: list[Fault]) -> bool:
        """Whether the target holds this batch; a fault is added where it holds it with other content."""
        if carried is None or draft.report.batch_id not in carried.batches:
            return False
        root = self._target.path
        wanted = {report_name(draft.report.batch_id): sha256_hex(draft.data)}
        wanted |= {run_name(run_id): digest for run_id, digest in draft.artifacts.items()}
        try:
            same = all(sha256_hex((root / name).read_bytes()) == digest for name, digest in wanted.items())
        except OSError:
            same = False
        if not same:
            faults.append(taken(draft.report.batch_id))
        return True

    def _index(self) -> Index | None:
        """The index of what the target holds; None where there is none, or none that can be read."""
        if not self._target.holds_snapshot:
            return None
        return read_record(Index, (self._target.path / INDEX).read_bytes(), INDEX)[0]

    def _refuse(self, faults: list[Fault]) -> None:
        if not faults:
            return
        refusal = refusal_of(faults, self._scanner)
        # The error carries every fault too: a disk without room for the file doesn't hide them.
        raise RefusalError(refusal, self._target.write_refusal(refusal.document()))

    def _write(self, new: Sequence[Draft], index: bytes) -> None:
        needed = len(index) + sum(len(draft.data) + draft.artifact_size for draft in new)
        try:
            with self._target.staging() as staging:
                self._fill(staging, new, index)
                self._refuse(list(written_faults(verify(staging))))
                self._target.replace(staging)
        except OSError as error:
            raise write_error(error, target=self._target.path, needed=needed) from error

    def _fill(self, staging: Path, new: Sequence[Draft], index: bytes) -> None:
        for folder in FOLDERS:
            self._files.make_directory(staging / folder)
        self._carry_over(staging)
        for draft in new:
            self._write_runs(staging, draft)
            self._files.write(staging / report_name(draft.report.batch_id), draft.data)
        self._files.write(staging / INDEX, index)
        for folder in (*FOLDERS, ""):
            self._files.sync_directory(staging / folder)

    def _carry_over(self, staging: Path) -> None:
        if not self._target.holds_snapshot:
            return
        for folder in FOLDERS:
            for file in sorted((self._target.path / folder).iterdir()):
                self._files.carry(file, staging / folder / file.name)

    def _write_runs(self, staging: Path, draft: Draft) -> None:
        """The artifacts, read from their source a second time: what the gates saw and nothing else is written."""
        missing = dict(draft.artifacts)
        for stored in draft.source.runs():
            if sha256_hex(stored.data) != missing.pop(stored.run_id, None):
                self._refuse([_changed(draft, stored.run_id)])
            self._files.write(staging / run_name(stored.run_id), stored.data)
        self._refuse([_changed(draft, run_id) for run_id in missing])

    def _outcome(self, *, changed: bool) -> Published:
        with suppress(OSError):
            self._target.remove_refusal()
        data = (self._target.path / INDEX).read_bytes()
        index = Index.model_validate_json(data)
        return Published(
            target=self._target.path,
            changed=changed,
            digest=sha256_hex(data),
            release=index.releases[-1],
            batches=len(index.reports),
            runs=sum(entry.runs for entry in index.reports),
        )


def _changed(draft: Draft, run_id: str) -> Fault:
    return Fault(
        code=ROW_CHANGED,
        batch_id=draft.report.batch_id,
        run_id=run_id,
        place="",
        message="the row changed while it was being published",
    )
