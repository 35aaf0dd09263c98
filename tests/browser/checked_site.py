"""A site whose runs can be checked: three batches with a signed log, and three other logs to swap it for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import Self

from dataset.artifacts.artifact import SECTION_NAMES
from dataset.questions.withholding import Withheld
from publisher.release_log.note import Signer
from publisher.rendering.site.build import build_site
from publisher.rendering.site.serve import make_server
from tests.browser.corpora import hostile_texts
from tests.browser.visit import SUB_PATH
from tests.factories import SampleBatch, make_batch
from tests.factories.released import Change, write_released

FIRST = Signer(name="example.org/first", seed=bytes(range(32)))
OWNER = Signer(name="example.org/owner", seed=bytes(range(1, 33)))
STRANGER = Signer(name="example.org/stranger", seed=bytes(range(2, 34)))
RUN, WITHDRAWN, WITHHELD, HOSTILE, LAST = "first-0001", "first-0002", "second-0001", "third-0001", "third-0002"
LOG_LINES = ["log entry", "latest log", "signature"]
LINES = [f"runs/{RUN}.json", *(f"section {name}" for name in SECTION_NAMES), "artifact hash", *LOG_LINES]
"""The subjects of what is checked of RUN, in order."""


@dataclass(frozen=True, kw_only=True)
class CheckedSite:
    """The directory `served` holds the site in `below/path`; beside it stand its snapshot and others."""

    folder: Path

    @classmethod
    def write(cls, folder: Path) -> Self:
        """Writes all of it; the log of the site has 4, 8, 12 and 15 entries after its releases."""
        site = cls(folder=folder)
        site.directory.parent.mkdir(parents=True)
        build_site(_snapshot(folder / "snapshot"), site.directory)
        _snapshot(folder / "unsigned", signers=(None,) * 4)
        _snapshot(folder / "another", signers=(STRANGER,) * 4)
        _snapshot(folder / "rewritten", text="rewritten")
        return site

    @property
    def served(self) -> Path:
        """What a server would serve."""
        return self.folder / "served"

    @property
    def directory(self) -> Path:
        """The site."""
        return self.served / SUB_PATH

    def file(self, name: str) -> bytes:
        """A file of the snapshot."""
        return (self.folder / "snapshot" / name).read_bytes()

    def run(self, run_id: str = RUN) -> bytes:
        """The file of a run."""
        return self.file(f"runs/{run_id}.json")

    def log(self, name: str) -> dict[str, bytes]:
        """The files of another log: `unsigned`, `another` by a stranger, `rewritten` by the same signers."""
        root = self.folder / name
        return {
            path.relative_to(root).as_posix(): path.read_bytes() for path in (root / "log").rglob("*") if path.is_file()
        }


@contextmanager
def serving(directory: Path) -> Iterator[str]:
    """The address of a server for a directory, as long as it runs."""
    with make_server(directory) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def _snapshot(
    directory: Path, *, text: str = "", signers: tuple[Signer | None, ...] = (FIRST, OWNER, OWNER, OWNER)
) -> Path:
    batches = [
        _batch("first", text=text),
        _batch("second", withheld=("steps",)),
        _batch("third", text="\n".join(hostile_texts())),
    ]
    change = Change(withdrawn={WITHDRAWN: "its fixture was wrong"})
    return write_released(directory, batches, change, signers=signers)


def _batch(batch_id: str, *, text: str = "", withheld: tuple[Withheld, ...] = ()) -> SampleBatch:
    return make_batch(batch_id, case_ids=["fund-nav"], model_keys=["careful"], text=text, withheld=withheld)
