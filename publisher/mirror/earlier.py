"""A mirror against an earlier one: what was published stays, or the release log says what became of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path

from dataset.artifacts.digest import ArtifactError
from dataset.artifacts.disclosure import Disclosed, open_disclosed
from dataset.artifacts.withdrawn import Withdrawn
from dataset.canonical import sha256_hex
from publisher.mirror.errors import GivenError
from publisher.mirror.pages import is_site
from publisher.mirror.revision import revision_differences
from publisher.projection.index import Index
from publisher.projection.report import Report
from publisher.release_log.entry import LogEntry, entry_name
from publisher.release_log.files import CHECKPOINT
from publisher.release_log.log import ReleaseLog
from publisher.release_log.reading import read_log
from publisher.verification.difference import Difference, compare, fault
from publisher.verification.document import read_record
from publisher.verification.files import INDEX, Files, named_run, report_name, run_name
from publisher.verification.past import NO_PAST, Past, past_of
from publisher.verification.snapshot import Checked


@dataclass(frozen=True, kw_only=True, slots=True)
class EarlierFindings:
    """How many run files of an earlier mirror are the same now, withdrawn since, or reveal more; how many entries its
    log had (None where it had none, so that files alone were compared); what its reports show of the past that those of
    now don't; and every difference."""

    same: int
    withdrawn: int
    revealed: int
    entries: int | None
    shown: Past = NO_PAST
    differences: tuple[Difference, ...] = ()

    @property
    def runs(self) -> int:
        """The run files that were compared and hold."""
        return self.same + self.withdrawn + self.revealed


class EarlierMirror:
    """An earlier mirror or snapshot. GivenError where its index or its log can't be read."""

    def __init__(self, directory: Path) -> None:
        self.files = Files(directory, whole=is_site(directory))
        data = self.files.find(INDEX)
        index = read_record(Index, data, INDEX)[0] if data is not None else None
        reading = read_log(self.files.find)
        if data is None or index is None or reading.differences or (reading.log is None and index.log is not None):
            raise _unreadable(directory, [*self.files.differences, *reading.differences])
        self.index: Index = index
        self.index_sha256 = sha256_hex(data)
        self.log = reading.log

    def findings(self, files: Files, now: Checked) -> EarlierFindings:
        """What became of it in the files of a later mirror, which never raise for what they hold."""
        comparison = _Comparison(self, files, now)
        found = tuple(comparison.differences())
        return EarlierFindings(
            same=comparison.same,
            withdrawn=comparison.withdrawn,
            revealed=comparison.revealed,
            entries=self.log.size if self.log else None,
            shown=comparison.shown,
            differences=found,
        )


class _Comparison:
    def __init__(self, earlier: EarlierMirror, files: Files, now: Checked) -> None:
        self._earlier = earlier.files
        self._index = earlier.index
        self._index_sha256 = earlier.index_sha256
        self._log = earlier.log
        self._files = files
        self._now = now.index
        self._book = now.book
        self.same = self.withdrawn = self.revealed = 0
        self.shown = NO_PAST

    def differences(self) -> Iterator[Difference]:
        """All of them, runs one at a time."""
        for difference in self._earlier.differences:
            yield replace(difference, message=f"in the earlier mirror: {difference.message}")
        if self._log is not None:
            yield from _log_differences(self._log, self._book.log if self._book else None)
        if self._now is not None:
            yield from self._index_differences(self._now)
        for name in sorted(self._earlier.present):
            run_id = named_run(name)
            if run_id is not None:
                yield from self._run_differences(name, run_id)

    def _index_differences(self, now: Index) -> Iterator[Difference]:
        number = len(self._index.releases)
        message = "the earlier mirror had another release here"
        told = [release.body() for release in now.releases[:number]]
        if len(told) < number:
            yield fault(f"{INDEX}#/releases", f"the earlier mirror had {number}, and there are {len(told)} now")
        for position, (wanted, found) in enumerate(zip(self._index.releases, told, strict=False)):
            for difference in compare(message, wanted.body(), found):
                yield difference.within_pointer(f"/releases/{position}").within(INDEX)
        if self._book is not None and 0 < number <= len(self._book.releases):
            logged = self._book.releases[number - 1].index_sha256
            if logged != self._index_sha256:
                yield Difference(
                    place=INDEX,
                    expected=self._index_sha256,
                    observed=logged,
                    message=f"the log says that release {number} had another index than the earlier mirror",
                )
        yield from self._report_differences({entry.batch_id: entry.sha256 for entry in now.reports})

    def _report_differences(self, now: dict[str, str]) -> Iterator[Difference]:
        since = self._book.releases[len(self._index.releases) :] if self._book else []
        revised = {batch_id for release in since for batch_id in release.revised}
        for entry in self._index.reports:
            file, found = report_name(entry.batch_id), now.get(entry.batch_id)
            if found is None:
                yield fault(file, "vanished: the earlier mirror had this report")
            elif found != entry.sha256 and entry.batch_id not in revised:
                message = "changed since the earlier mirror, and the log of no release says so"
                yield Difference(place=file, expected=entry.sha256, observed=found, message=message)
            elif found != entry.sha256:
                yield from self._revision_differences(file)

    def _revision_differences(self, file: str) -> Iterator[Difference]:
        before, after = (_report(files, file) for files in (self._earlier, self._files))
        if before is None or after is None:
            yield fault(file, f"changed, and can't be read {'now' if before else 'in the earlier mirror'}")
            return
        self.shown |= past_of(after) - past_of(before)
        yield from revision_differences(before, after)

    def _run_differences(self, name: str, run_id: str) -> Iterator[Difference]:
        before, after = self._earlier.find(name), self._files.find(name)
        if before is None:
            yield fault(name, "can't be read in the earlier mirror")
        elif after is None:
            yield fault(name, "vanished: the earlier mirror had this run")
        elif before == after:
            self.same += 1
        else:
            yield from self._changed(name, run_id, _opened(before, run_id), _opened(after, run_id))

    def _changed(
        self, name: str, run_id: str, before: Disclosed | Withdrawn | None, after: Disclosed | Withdrawn | None
    ) -> Iterator[Difference]:
        if before is None or after is None:
            yield fault(name, f"changed, and can't be read {'now' if before else 'in the earlier mirror'}")
        elif _hash(before) != _hash(after):
            yield Difference(
                place=f"{name}#/artifact_hash",
                expected=_hash(before),
                observed=_hash(after),
                message="another run than the earlier mirror had under this id",
            )
        elif isinstance(before, Withdrawn):
            yield fault(name, "was withdrawn in the earlier mirror, and isn't the same now")
        elif isinstance(after, Withdrawn):
            yield from self._withdrawn_since(name, run_id)
        else:
            yield from self._revealed_since(name, run_id, before.withheld, after.withheld)

    def _withdrawn_since(self, name: str, run_id: str) -> Iterator[Difference]:
        release = self._book.withdrawals.get(run_id, (0, ""))[0] if self._book else 0
        if release > len(self._index.releases):
            self.withdrawn += 1
        else:
            yield fault(name, "withdrawn since the earlier mirror, and the log of no release says so")

    def _revealed_since(
        self, name: str, run_id: str, before: frozenset[str], after: frozenset[str]
    ) -> Iterator[Difference]:
        reveals = self._book.reveals.get(run_id, []) if self._book else []
        logged = {part for release, parts in reveals if release > len(self._index.releases) for part in parts}
        hidden, unlogged = sorted(after - before), sorted(before - after - logged)
        if hidden:
            yield fault(name, f"withholds what the earlier mirror showed: {', '.join(hidden)}")
        if unlogged:
            yield fault(name, f"shows what was withheld, and the log of no release says so: {', '.join(unlogged)}")
        if not hidden and not unlogged:
            self.revealed += 1


def _log_differences(before: ReleaseLog, now: ReleaseLog | None) -> Iterator[Difference]:
    if now is None:
        yield fault(CHECKPOINT, "history was rewritten: the earlier mirror had a release log")
        return
    if now.origin != before.origin:
        yield Difference(
            place=CHECKPOINT,
            expected=before.origin,
            observed=now.origin,
            message="history was rewritten: the log is another one than the earlier mirror had",
        )
    elif now.size < before.size or now.tree.head(before.size).root != before.tree.head(before.size).root:
        place, wanted, found = next(
            (place, *pair)
            for place, pair in enumerate(zip_longest(before.entries(), now.entries()))
            if pair[0] != pair[1]
        )
        yield Difference(
            place=CHECKPOINT,
            expected=_named(wanted),
            observed=_named(found),
            message=f"history was rewritten: entry {place} of the log isn't the one that the earlier mirror had",
        )


def _report(files: Files, file: str) -> Report | None:
    data = files.find(file)
    return read_record(Report, data, file)[0] if data is not None else None


def _named(entry: LogEntry | None) -> str:
    return "no entry" if entry is None else entry_name(entry)


def _opened(data: bytes, run_id: str) -> Disclosed | Withdrawn | None:
    withdrawn, _ = read_record(Withdrawn, data, run_name(run_id))
    if withdrawn is not None:
        return withdrawn
    try:
        return open_disclosed(data, name=run_id)
    except ArtifactError:
        return None


def _hash(opened: Disclosed | Withdrawn) -> str:
    return opened.artifact_hash if isinstance(opened, Withdrawn) else opened.artifact.artifact_hash


def _unreadable(directory: Path, differences: Sequence[Difference]) -> GivenError:
    told = f": {differences[0]}" if differences else f": there is no {INDEX} that can be read"
    return GivenError(
        f"{directory} is no snapshot to compare with{told}",
        code="VERIFY-PREVIOUS-001",
        hint="give the directory of an older mirror or snapshot that verified when you kept it",
    )
