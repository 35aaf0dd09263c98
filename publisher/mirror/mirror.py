"""One verification of all that was published: the snapshot, its log, its pages, and what an earlier mirror had."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from dataset.canonical import Json
from publisher.mirror.earlier import EarlierFindings, EarlierMirror
from publisher.mirror.given import Given
from publisher.mirror.pages import PageFindings, is_site, page_findings
from publisher.release_log.checkpoint import read_checkpoint
from publisher.verification.difference import Difference, Verification
from publisher.verification.files import Files
from publisher.verification.log_book import LogBook
from publisher.verification.snapshot import Progress, SnapshotCheck

_WORTH_WORKERS = 1_000
"""Files below which a second process takes longer to start than it saves."""

_MOST_TRIES = 5
"""A site that is replaced more often than this while it is looked at isn't what anybody reads."""


@dataclass(frozen=True, kw_only=True, slots=True)
class MirrorVerification:
    """What was checked and every difference. `pages` is None where there are none, `earlier` where nothing older was
    given, `extends` (the kept checkpoint) where none was."""

    given: Given
    snapshot: Verification
    pages: PageFindings | None = None
    earlier: EarlierFindings | None = None
    extends: bool | None = None

    @property
    def differences(self) -> tuple[Difference, ...]:
        """Those of the snapshot, then of what an earlier mirror had, then of the pages."""
        earlier = self.earlier.differences if self.earlier else ()
        return (*self.snapshot.differences, *earlier, *(self.pages.differences if self.pages else ()))

    @property
    def holds(self) -> bool:
        """Whether nothing differs."""
        return not self.differences

    @property
    def rewritten(self) -> bool:
        """Whether the log isn't an extension of what the reader kept."""
        found = self.earlier.differences if self.earlier else ()
        return self.extends is False or any("history was rewritten" in difference.message for difference in found)

    def as_json(self) -> dict[str, Json]:
        """The verification as a JSON object, for `--json`."""
        pages, earlier = self.pages, self.earlier
        return {
            **self.snapshot.as_json(),
            "holds": self.holds,
            "history_rewritten": self.rewritten,
            "keys_given": [str(key) for key in self.given.keys],
            "extends_expected_checkpoint": self.extends,
            "pages": {
                "version": pages.version,
                "pages": pages.pages,
                "assets": pages.assets,
                "not_compared": list(pages.uncompared),
                "hold": pages.hold,
            }
            if pages
            else None,
            "previous": {
                "same": earlier.same,
                "withdrawn": earlier.withdrawn,
                "revealed": earlier.revealed,
                "log_entries": earlier.entries,
            }
            if earlier
            else None,
            "differences": [difference.as_json() for difference in self.differences],
        }


def verify_mirror(
    directory: Path, given: Given, *, workers: int = 1, progress: Progress = lambda done, of: None
) -> MirrorVerification:
    """Verifies a snapshot directory, or a site or a mirror of one with its pages. What it holds never raises;
    GivenError where the earlier mirror can't be read.

    With two workers and enough to do, batches and pages are checked in other processes; what is found is the same.
    Pages are found by their directory's name: where another site took it meanwhile, that one is verified.
    """
    older = EarlierMirror(given.previous) if given.previous else None
    for _ in range(_MOST_TRIES - 1):
        files = Files(directory, whole=is_site(directory))
        found = _verified(files, given, older, workers, progress)
        if not files.whole or Files.identity_of(directory) == files.identity:
            return found
    return _verified(Files(directory, whole=is_site(directory)), given, older, workers, progress)


def _verified(
    files: Files, given: Given, older: EarlierMirror | None, workers: int, progress: Progress
) -> MirrorVerification:
    directory, site = files.directory, files.whole
    with _pool(workers if len(files.present) >= _WORTH_WORKERS else 1) as pool:
        rendering = pool.submit(page_findings, directory) if pool and site else None
        checked = SnapshotCheck(
            files, keys=given.keys, expected_checkpoint=given.checkpoint, pool=pool, progress=progress
        ).run()
        earlier = older.findings(files, checked) if older else None
        pages = _pages(directory, rendering) if site else None
    return MirrorVerification(
        given=given,
        snapshot=checked.verification,
        pages=pages,
        earlier=earlier,
        extends=_extends(checked.book, given.checkpoint) if given.checkpoint is not None else None,
    )


def _pages(directory: Path, rendering: Future[PageFindings] | None) -> PageFindings:
    try:
        return rendering.result() if rendering else page_findings(directory)
    except BrokenExecutor:
        return page_findings(directory)


def _extends(book: LogBook | None, checkpoint: bytes) -> bool:
    kept = read_checkpoint(checkpoint).checkpoint
    if book is None or kept.origin != book.log.origin or kept.size > book.log.size:
        return False
    return book.log.tree.head(kept.size).root == kept.root


@contextmanager
def _pool(workers: int) -> Iterator[Executor | None]:
    if workers < 2:
        yield None
        return
    # spawned, since a fork would take over locks and threads of whoever calls
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(workers, mp_context=context, initializer=_stop_quietly)
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


def _stop_quietly() -> None:
    """An interrupt ends a worker without a word: the process that started it says what there is to say."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
