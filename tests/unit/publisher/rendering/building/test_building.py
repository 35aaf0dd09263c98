"""A site comes out the same, byte for byte, whoever makes its pages and whatever was kept of an earlier one."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from dataset.cache import cache_folder, keep
from publisher.exports.address import site_address
from publisher.release_log.note import Signer
from publisher.rendering.building import kept, workers
from publisher.rendering.building.kept import KeptJobs
from publisher.rendering.errors import SnapshotError
from publisher.rendering.pages.interface import JobFamily, Made, SiteSource
from publisher.rendering.pages.runs import run_pages
from publisher.rendering.site.build import build_site
from publisher.rendering.site.files import site_files
from publisher.rendering.snapshot.snapshot import Snapshot
from tests.factories import make_batch
from tests.factories.logged import OWNER, write_logged_snapshot
from tests.factories.released import Change, write_released
from tests.factories.snapshot import SampleBatch

CASES = ("fund-nav", "order-history")


@pytest.fixture(autouse=True)
def _two_processes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GLASSBENCH_CACHE_DIR", str(tmp_path / "cache"))
    # The tests' own runner may have threads; here nothing of them matters to a forked child.
    monkeypatch.setattr(workers, "_processes", lambda: 2)
    monkeypatch.setattr(workers, "_worth_processes", lambda _family, jobs: len(jobs) > 1)


def files_of(site: Path) -> dict[str, bytes]:
    return {
        path.relative_to(site).as_posix(): path.read_bytes()
        for path in sorted(site.rglob("*"))
        if path.is_file() and path.name != ".glassbench-site"
    }


def plainly(snapshot: Path) -> dict[str, bytes]:
    """Every file, made one after another by this process."""
    return {file.name: b"".join(file.chunks()) for file in site_files(Snapshot(snapshot))}


@pytest.fixture
def snapshot(tmp_path: Path) -> Path:
    write_logged_snapshot(tmp_path / "snapshot", [make_batch("batch-1", case_ids=CASES)])
    return tmp_path / "snapshot"


def test_several_processes_make_what_one_makes(snapshot: Path, tmp_path: Path) -> None:
    build_site(snapshot, tmp_path / "site")
    assert files_of(tmp_path / "site") == plainly(snapshot)


def test_a_second_build_takes_over_every_part_and_is_the_same(snapshot: Path, tmp_path: Path) -> None:
    first = build_site(snapshot, tmp_path / "site")
    before = files_of(tmp_path / "site")
    again = build_site(snapshot, tmp_path / "site")
    assert (first.reused, again.made, again.reused) == (0, 0, first.made)
    assert files_of(tmp_path / "site") == before


Write = Callable[[Path], object]


def two_batches(**second: Any) -> list[SampleBatch]:
    first = make_batch("batch-1", case_ids=CASES, withheld=("steps", "result"))
    return [first, make_batch("batch-2", case_ids=CASES, **second)]


NO_CHANGE = Change()


def released(change: Change = NO_CHANGE, *, signer: Signer | None = None, **second: Any) -> Write:
    """Writes two batches, each a release, and a change as a third."""
    batches = two_batches(**second)
    changes = bool(change.withdrawn or change.revealed)
    return lambda folder: write_released(folder, batches, change, signers=[signer] * (2 + changes))


def alone(folder: Path) -> object:
    """The first of the two batches by itself."""
    return write_logged_snapshot(folder, two_batches()[:1])


GONE = Change(withdrawn={"batch-1-0003": "Its fixture had the wrong day."})
REVEALED = Change(revealed={("batch-1", "fund-nav"): ("steps", "result")})


@pytest.mark.parametrize(
    ("first", "second", "least"),
    [
        pytest.param(released(), released(GONE), 0.4, id="a run is withdrawn"),
        pytest.param(released(), released(REVEALED), 0.4, id="a part is revealed"),
        pytest.param(released(GONE), released(), 0.4, id="another history"),
        pytest.param(alone, released(), 0.2, id="a batch comes"),
        pytest.param(released(), alone, 0.3, id="a batch goes"),
        pytest.param(released(), released(replay_of="batch-1"), 0.3, id="what a batch judges again"),
        pytest.param(released(replay_of="elsewhere"), released(replay_of="batch-1"), 0.3, id="a source has a page"),
        pytest.param(released(), released(scenario=lambda _planned: "fail"), 0.4, id="a batch went otherwise"),
        pytest.param(released(), released(text="Otherwise."), 0.3, id="other words"),
        pytest.param(released(), released(model_keys=("careful", "renamed")), 0.3, id="a model has another key"),
        pytest.param(released(), released(threshold="0.75"), 0.3, id="a batch has another rule"),
        pytest.param(released(), released(signer=OWNER), 0, id="a log that is signed"),
        pytest.param(released(), released(synthetic=True), 0, id="a scripted model"),
    ],
)
def test_after_a_change_a_site_is_what_a_first_build_makes(
    tmp_path: Path, first: Write, second: Write, least: float
) -> None:
    first(tmp_path / "first")
    second(tmp_path / "second")
    build_site(tmp_path / "first", tmp_path / "site")
    built = build_site(tmp_path / "second", tmp_path / "site")
    wanted = plainly(tmp_path / "second")
    assert files_of(tmp_path / "site") == wanted
    assert built.reused >= least * (built.reused + built.made)
    assert built.made


def test_after_a_withdrawal_little_is_made_again(tmp_path: Path) -> None:
    batches = [make_batch(f"batch-{number}", case_ids=CASES) for number in range(6)]
    write_released(tmp_path / "first", batches, signers=[None] * 6)
    build_site(tmp_path / "first", tmp_path / "site")
    gone = Change(withdrawn={"batch-1-0003": "Its fixture had the wrong day."})
    write_released(tmp_path / "second", batches, gone, signers=[None] * 7)
    built = build_site(tmp_path / "second", tmp_path / "site")
    # Of its batch all but some runs; of the others their pairs on the board; and what tells of the latest release.
    assert built.made < (built.made + built.reused) / 3


def test_at_another_address_every_page_is_made_again(snapshot: Path, tmp_path: Path) -> None:
    build_site(snapshot, tmp_path / "site")
    address = site_address("https://example.org/results/")
    built = build_site(snapshot, tmp_path / "site", address)
    assert built.reused == 0
    found = {file.name: b"".join(file.chunks()) for file in site_files(Snapshot(snapshot), address)}
    assert files_of(tmp_path / "site") == found


def test_another_version_takes_over_nothing(snapshot: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build_site(snapshot, tmp_path / "site")
    monkeypatch.setattr(kept, "fingerprint", lambda: "0" * 64)
    assert build_site(snapshot, tmp_path / "site").reused == 0


def test_a_page_that_was_changed_in_the_site_is_made_again(snapshot: Path, tmp_path: Path) -> None:
    build_site(snapshot, tmp_path / "site")
    page = tmp_path / "site/zh/runs/batch-1-0002.html"
    page.write_bytes(page.read_bytes().replace(b"</main>", b"<p>forged</p></main>"))
    (tmp_path / "site/runs/batch-1-0003.html").unlink()
    assert build_site(snapshot, tmp_path / "site").made == 2
    assert files_of(tmp_path / "site") == plainly(snapshot)


@pytest.mark.parametrize("left", [b"", b"{", b"[]", b'{"format":"glassbench.kept/1","fingerprint":"x","jobs":{}}'])
def test_what_was_kept_and_cant_be_read_is_as_if_there_were_nothing(
    snapshot: Path, tmp_path: Path, left: bytes
) -> None:
    build_site(snapshot, tmp_path / "site")
    (name,) = [path.name for path in cache_folder().glob("*.site")]
    keep(name, left)
    assert build_site(snapshot, tmp_path / "site").reused == 0


def test_kept_jobs_of_a_site_that_is_gone_give_nothing(snapshot: Path, tmp_path: Path) -> None:
    build_site(snapshot, tmp_path / "site")
    kept = KeptJobs.of(tmp_path / "site")
    (tmp_path / "site").rename(tmp_path / "elsewhere")
    assert kept.before.lines
    found = [key for key in kept.before.lines if kept.find(key) is not None]
    assert [key.partition("-")[0] for key in found] == ["changes"], "nothing was judged again, so that has no file"


def test_a_process_that_is_killed_costs_time_and_nothing_else(snapshot: Path) -> None:
    source, here = SiteSource(snapshot=Snapshot(snapshot)), os.getpid()

    def made(source: SiteSource, job: object) -> Iterator[Made]:
        if os.getpid() != here:
            os.kill(os.getpid(), signal.SIGKILL)
        yield from run_pages.made(source, job)  # type: ignore[arg-type]

    family = JobFamily(name="killed", jobs=run_pages.jobs, made=made, key=lambda _source, _job: "")
    jobs = run_pages.jobs(source)
    found = [file for result in workers.results(family, source, jobs) for file in result.files]
    wanted = [file for result in workers.results(run_pages, source, jobs) for file in result.files]
    assert found == wanted
    assert not multiprocessing.active_children()


def test_a_run_that_cant_be_rendered_is_told_as_one_process_would(snapshot: Path, tmp_path: Path) -> None:
    (snapshot / "runs/batch-1-0002.json").write_bytes(b"{}")
    with pytest.raises(SnapshotError, match="batch-1-0002"):
        build_site(snapshot, tmp_path / "site")
    assert not (tmp_path / "site").exists()
    assert not multiprocessing.active_children()
