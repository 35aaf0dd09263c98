"""A snapshot of which some files can't be rendered: whatever doesn't need them is made all the same."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from dataset.artifacts.disclosure import Disclosed
from dataset.artifacts.withdrawn import Withdrawn
from dataset.measures.run_facts import RunFacts
from publisher.exports.checksums import CHECKSUMS
from publisher.exports.croissant import CROISSANT
from publisher.projection.report import Withdrawal
from publisher.projection.run_file import tombstone
from publisher.release_log.files import log_files
from publisher.rendering.errors import SnapshotError
from publisher.rendering.language.language import LANGUAGES
from publisher.rendering.page_names import CODES, DOWNLOADS, TOOLS
from publisher.rendering.snapshot.snapshot import PublishedBatch, Snapshot
from publisher.search.index import FOLDER as SEARCH
from publisher.verification.files import run_name

_NOTHING = b""
_OF_EVERY_FILE = (CHECKSUMS, CROISSANT, DOWNLOADS)
"""They hold a digest of every file of the snapshot, or of the archive with all of them."""
_OF_EVERY_RUN = (*(name.removesuffix(".html") for name in (CODES, TOOLS)), f"{SEARCH}/")
"""What these pages list, and what the search finds, is gathered from all runs."""


class PartialSnapshot(Snapshot):
    """Reads as a snapshot does, and where a run or a file of the log is broken gives a stand-in for it, of which
    nothing that is made may be shown or compared. What the pages all hang on, index, reports and log, must be sound:
    SnapshotError as ever."""

    def __init__(self, directory: Path) -> None:
        self.broken: set[str] = set()
        """The names of the files that a stand-in was given for."""
        self._asked: dict[str, None] = {}
        self._page = ""
        self._needed: list[str] = []
        super().__init__(directory)

    def run(self, batch: PublishedBatch, facts: RunFacts) -> tuple[Disclosed | Withdrawn, bytes]:
        """What a run's file holds; a tombstone without bytes where that can't be told."""
        try:
            return super().run(batch, facts)
        except SnapshotError:
            self._note(run_name(facts.run_id))
        stands_in = Withdrawal(run_id=facts.run_id, reason="can't be rendered", release=1)
        return tombstone(batch.report.batch_id, facts, stands_in), _NOTHING

    def file(self, name: str) -> bytes:
        """The bytes of a file; none of one that is broken."""
        if name not in self.broken:
            return super().file(name)
        self._note(name)
        return _NOTHING

    def log_files(self) -> Iterator[tuple[str, bytes]]:
        """Every file of the log, without bytes where it isn't what its entries make."""
        for name, made in log_files(self.log.log) if self.log else ():
            if self._logged(name) == made:
                yield name, made
            else:
                self._note(name)
                yield name, _NOTHING

    def lacking(self, name: str) -> list[str]:
        """The broken files that the file of the site which was made last, of this name, is made from."""
        page = _page_of(name)
        if self._asked or page != self._page:
            self._page, self._needed = page, list(self._asked)
            self._asked.clear()
        if page in _OF_EVERY_FILE or page.startswith(_OF_EVERY_RUN):
            return sorted(self.broken)
        # a page of several runs may have had one of them before it was made; their ids are its name, with dots between
        of_name = map(run_name, page.rpartition("/")[2].split("."))
        return sorted({*self._needed, *self.broken.intersection(of_name)})

    def _note(self, name: str) -> None:
        self.broken.add(name)
        self._asked[name] = None


def _page_of(name: str) -> str:
    """The name without the folder of its language: a page is made from the same files in each."""
    folders = (language.folder for language in LANGUAGES if language.folder)
    return next((name.removeprefix(folder) for folder in folders if name.startswith(folder)), name)
