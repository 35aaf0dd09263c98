"""A site comes out the same, byte for byte, whoever makes its pages and whatever was kept of an earlier one."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from dataset.cache import cache_folder, keep
from publisher.rendering.building import workers
from publisher.rendering.building.kept import KeptJobs
from publisher.rendering.errors import SnapshotError
from publisher.rendering.pages.interface import JobFamily, Made, SiteSource
from publisher.rendering.pages.runs import run_pages
from publisher.rendering.site import build_site
from publisher.rendering.site_files import site_files
from publisher.rendering.snapshot import Snapshot
from tests.factories import make_batch
from tests.factories.logged import write_logged_snapshot
from tests.factories.released import Change, write_released

CASES = ("fund-nav", "order-history")


@pytest.fixture(autouse=True)
def _two_processes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GLASSBENCH_CACHE_DIR", str(tmp_path / "cache"))
    # The tests' own runner may have threads; here nothing of them matters to a forked child.
    monkeypatch.setattr(workers, "_processes", lambda: 2)
    monkeypatch.setattr(workers, "_FEW", 1)
    monkeypatch.setattr(workers, "_CHUNK", 2)


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


def test_a_second_build_takes_over_every_run_and_is_the_same(snapshot: Path, tmp_path: Path) -> None:
    first = build_site(snapshot, tmp_path / "site")
    before = files_of(tmp_path / "site")
    again = build_site(snapshot, tmp_path / "site")
    runs = len(list((snapshot / "runs").iterdir()))
    assert (first.reused, again.reused) == (0, runs)
    assert files_of(tmp_path / "site") == before


def test_only_what_a_withdrawal_touches_is_made_again(tmp_path: Path) -> None:
    batches = [make_batch("batch-1", case_ids=CASES), make_batch("batch-2", case_ids=CASES)]
    write_released(tmp_path / "first", batches, signers=[None, None])
    build_site(tmp_path / "first", tmp_path / "site")
    gone = Change(withdrawn={"batch-1-0003": "Its fixture had the wrong day."})
    write_released(tmp_path / "second", batches, gone, signers=[None, None, None])
    built = build_site(tmp_path / "second", tmp_path / "site")
    runs = len(list((tmp_path / "second" / "runs").iterdir()))
    # Itself, its two neighbours, and the runs of the same case in other arms.
    assert runs - 8 <= built.reused < runs
    assert files_of(tmp_path / "site") == plainly(tmp_path / "second")


def test_a_page_that_was_changed_in_the_site_is_made_again(snapshot: Path, tmp_path: Path) -> None:
    build_site(snapshot, tmp_path / "site")
    page = tmp_path / "site/zh/runs/batch-1-0002.html"
    page.write_bytes(page.read_bytes().replace(b"</main>", b"<p>forged</p></main>"))
    (tmp_path / "site/runs/batch-1-0003.html").unlink()
    built = build_site(snapshot, tmp_path / "site")
    assert built.reused == len(list((snapshot / "runs").iterdir())) - 2
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
    assert kept.before
    assert all(kept.find(key) is None for key in kept.before)


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
