"""The one writer of releases: the snapshot before, a change and the log's extension, put in place in one step."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from publisher.gates.carried_over import UNSOUND, carried_faults, written_faults
from publisher.gates.interface import Fault
from publisher.gates.refusal import Act, RefusalError, refusal_of
from publisher.gates.scan import ByteScanner, Scan
from publisher.projection.draft import RowChangedError
from publisher.projection.errors import write_error
from publisher.projection.file_system import FileSystem
from publisher.projection.target import Target, locked_target
from publisher.release_log.files import log_files
from publisher.release_log.note import Signer
from publisher.releases.change import Change
from publisher.releases.errors import UnsignedError
from publisher.releases.held import Held
from publisher.releases.log_extension import NextRelease, next_release, signers
from publisher.releases.outcome import Released, released
from publisher.releases.staged import Staged
from publisher.verification.files import INDEX, in_log, report_name
from publisher.verification.snapshot import verify


@dataclass(frozen=True, kw_only=True, slots=True)
class Signing:
    """How a release is signed: by `signer`, or not at all where there is none. `unsigned` allows that also where the
    release before is signed."""

    signer: Signer | None = None
    unsigned: bool = False


class ReleaseWriter:
    """One act on a target that is held by it alone. Use `release_writer`."""

    def __init__(self, target: Target, scanner: ByteScanner, files: FileSystem, signing: Signing, act: Act) -> None:
        self._act: Act = act
        self._target = target
        self._scanner = scanner
        self._scan = Scan(scanner)
        self._files = files
        self._signing = signing
        self.held = Held.of(target.path)

    def carried_faults(self) -> Iterator[Fault]:
        """What is wrong with what the target holds, by its verification."""
        if self.held.verification is not None:
            yield from carried_faults(self.held.verification)

    def carried_findings(self) -> Iterator[Fault]:
        """What the scan finds in the files that the target holds: rules and known values may be newer than they are.
        The log holds ids, hashes and what stands in reports."""
        for name in self.held.names():
            if not in_log(name):
                yield from self._scan.file_faults(name, self.held.read(name) or b"", None)

    def findings(self, name: str, data: bytes, batch_id: str | None, run_id: str | None = None) -> Iterator[Fault]:
        """What the scan finds in a file as it would be written."""
        yield from self._scan.file_faults(name, data, batch_id, run_id)

    def refuse(self, faults: Iterable[Fault]) -> None:
        """RefusalError where there is any fault; the list of all is written beside the target."""
        found = list(faults)
        if found:
            refusal = refusal_of(found, self._scanner)
            # The error carries every fault too: a disk without room for the file doesn't hide them.
            file = self._target.write_refusal(refusal.document())
            raise RefusalError(refusal, file, act=self._act, target=self._target.path)

    def write(self, change: Change) -> Released:
        """Makes a release of a change. RefusalError where what was written doesn't verify, WriteError where the disk
        fails, UnsignedError without a key where the release before has a signature; the target is as it was then."""
        self.refuse(_log_faults(self.held))
        self._require_signature()
        release = next_release(self.held, change, self._signing.signer)
        self.refuse(self.findings(INDEX, release.index, None))
        try:
            with self._target.staging() as staging:
                self._fill(staging, change, release)
                self.refuse(written_faults(verify(staging)))
                self._target.replace(staging)
        except RowChangedError as error:
            self.refuse([error.fault])
        except OSError as error:
            raise write_error(error, target=self._target.path, needed=len(release.index) + change.size) from error
        return self._ended(changed=True)

    def unchanged(self) -> Released:
        """The outcome where the target holds everything already."""
        return self._ended(changed=False)

    def _ended(self, *, changed: bool) -> Released:
        with suppress(OSError):
            self._target.remove_refusal()
        return released(self._target.path, changed=changed)

    def _require_signature(self) -> None:
        before = signers(self.held.log.log)
        if before and self._signing.signer is None and not self._signing.unsigned:
            raise UnsignedError(
                f"the latest release of {self._target.path} is signed by {', '.join(before)}, and there is no key to "
                "sign the next one with",
                hint="name the key's file with --key, or say --unsigned: every page will say so then",
            )

    def _fill(self, staging: Path, change: Change, release: NextRelease) -> None:
        staged = Staged(staging, self._files)
        reports = {report_name(written.report.batch_id): written.data for written in (*change.added, *change.revised)}
        for name in self.held.names():
            if name != INDEX and name not in reports and name not in change.replaced and not in_log(name):
                staged.carry(self.held.root / name, name)
        for name, data in change.run_files():
            staged.write(name, data)
        for name, data in reports.items():
            staged.write(name, data)
        for name, data in log_files(release.log):
            if self.held.read(name) == data:
                staged.carry(self.held.root / name, name)
            else:
                staged.write(name, data)
        staged.write(INDEX, release.index)
        staged.sync()


@contextmanager
def release_writer(
    target: Path,
    scanner: ByteScanner,
    *,
    act: Act,
    files: FileSystem | None = None,
    signing: Signing | None = None,
) -> Iterator[ReleaseWriter]:
    """A writer of one release of a target; another one waits until the block ends. TargetError where the target can't
    be used."""
    system = files or FileSystem()
    with locked_target(target, system) as place:
        writer = ReleaseWriter(place, scanner, system, signing or Signing(), act)
        try:
            yield writer
        finally:
            writer.held.files.close()


def _log_faults(held: Held) -> Sequence[Fault]:
    return [
        Fault(code=UNSOUND, batch_id=None, run_id=None, place=found.place, message=found.message)
        for found in held.log.differences
    ]
