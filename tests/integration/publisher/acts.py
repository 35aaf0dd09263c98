"""The acts that make a release, each over a small snapshot: what a test makes fail or die at every step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from publisher.projection.file_system import FileSystem
from publisher.releases.publish import publish
from publisher.releases.reveal import reveal
from publisher.releases.withdraw import withdraw
from tests.factories import VARIANTS, SampleBatch, SampleSource, WordScanner, make_batch

SCANNER = WordScanner()
REASON = "The fixture had the wrong day."
ONE = make_batch("batch-1", case_ids=("fund-nav",), model_keys=("careful",), variants=VARIANTS[:1])
TWO = make_batch("batch-1", case_ids=("fund-nav",), model_keys=("careful",), variants=VARIANTS)
NEXT = make_batch("batch-2", case_ids=("fund-nav",), model_keys=("careful",), variants=VARIANTS[:1])
HELD_OUT = make_batch(
    "batch-1", case_ids=("fund-nav",), model_keys=("careful",), variants=VARIANTS[:1], withheld=("gold",)
)

Perform = Callable[[Path, FileSystem], object]


@dataclass(frozen=True, kw_only=True)
class Act:
    """What is published before, if anything, and the act itself."""

    before: SampleBatch | None
    perform: Perform

    def prepare(self, target: Path) -> None:
        """Makes the target's folder, and the release before."""
        target.parent.mkdir()
        if self.before is not None:
            put(target, self.before, FileSystem())


def put(target: Path, batch: SampleBatch, files: FileSystem) -> None:
    """Publishes one batch."""
    publish([SampleSource.of(batch)], target, SCANNER, files=files)


def _reveal(target: Path, files: FileSystem) -> None:
    reveal(SampleSource.of(HELD_OUT), target, SCANNER, files=files)


ACTS = {
    "publish": Act(before=ONE, perform=lambda target, files: put(target, NEXT, files)),
    "publish-first": Act(before=None, perform=lambda target, files: put(target, NEXT, files)),
    "withdraw": Act(
        before=TWO,
        perform=lambda target, files: withdraw(["batch-1-0001"], REASON, target, SCANNER, files=files),
    ),
    "reveal": Act(before=HELD_OUT, perform=_reveal),
}


def content(directory: Path) -> dict[str, bytes]:
    """Every file of a directory by name; none where there is no directory."""
    return {str(p.relative_to(directory)): p.read_bytes() for p in directory.rglob("*") if p.is_file()}
