"""A file of the site that stands gets into the next one only as the build that wrote it left it."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from publisher.rendering.building import kept, workers
from publisher.rendering.building.kept import KeptJobs
from publisher.rendering.errors import SiteTargetError
from publisher.rendering.site import directory as site_directory
from publisher.rendering.site.build import build_site
from publisher.rendering.site.directory import NewSite
from publisher.rendering.site.earlier import EarlierSite, FileStamp, stamp_of
from tests.factories import make_batch
from tests.factories.logged import write_logged_snapshot
from tests.factories.released import Change, write_released

PAGE = "runs/batch-1-0002.html"
GONE = Change(withdrawn={"batch-1-0003": "Its fixture had the wrong day."})


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GLASSBENCH_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(workers, "_processes", lambda: 1)


@pytest.fixture
def snapshot(tmp_path: Path) -> Path:
    write_logged_snapshot(tmp_path / "snapshot", [make_batch("batch-1", case_ids=("fund-nav", "order-history"))])
    return tmp_path / "snapshot"


@pytest.fixture
def site(snapshot: Path, tmp_path: Path) -> Path:
    build_site(snapshot, tmp_path / "site")
    return tmp_path / "site"


@pytest.fixture
def later(tmp_path: Path) -> Path:
    """The same snapshot with one more release, in which a run is withdrawn."""
    batches = [make_batch("batch-1", case_ids=("fund-nav", "order-history"))]
    return write_released(tmp_path / "later", batches, GONE, signers=[None, None])


def files_of(site: Path) -> dict[str, bytes]:
    return {
        path.relative_to(site).as_posix(): path.read_bytes()
        for path in sorted(site.rglob("*"))
        if path.is_file() and path.name != site_directory.MARKER
    }


def test_a_kept_file_is_the_same_one_and_has_one_name(snapshot: Path, site: Path) -> None:
    before = (site / PAGE).stat()
    build_site(snapshot, site)
    after = (site / PAGE).stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert after.st_nlink == 1


def _in_place(page: Path) -> None:
    page.write_bytes(_changed(page))


def _with_its_times(page: Path) -> None:
    found = page.stat()
    page.write_bytes(_changed(page))
    os.utime(page, ns=(found.st_atime_ns, found.st_mtime_ns))


def _another_file(page: Path) -> None:
    other = page.with_name("other")
    other.write_bytes(_changed(page))
    other.replace(page)


def _a_link(page: Path) -> None:
    other = page.parent.parent.parent / "other"
    other.write_bytes(_changed(page))
    page.unlink()
    page.symlink_to(other)


def _a_folder_in_its_place(page: Path) -> None:
    page.unlink()
    page.mkdir()


def _changed(page: Path) -> bytes:
    return page.read_bytes().replace(b"<main", b"<MAIN")


@pytest.mark.parametrize("change", [_in_place, _with_its_times, _another_file, _a_link, _a_folder_in_its_place])
def test_a_file_that_was_changed_is_made_anew(snapshot: Path, site: Path, change: Callable[[Path], None]) -> None:
    before = files_of(site)
    change(site / PAGE)
    assert build_site(snapshot, site).made == 1
    assert files_of(site) == before
    assert not (site / PAGE).is_symlink()


def test_a_file_with_another_name_is_copied(snapshot: Path, site: Path, tmp_path: Path) -> None:
    before = files_of(site)
    os.link(site / PAGE, tmp_path / "backup.html")
    assert build_site(snapshot, site).made == 0
    (tmp_path / "backup.html").write_bytes(b"changed in the backup")
    assert files_of(site) == before


def test_what_stands_behind_a_link_isnt_shared_with_the_next_site(snapshot: Path, site: Path, tmp_path: Path) -> None:
    before = files_of(site)
    (site / "runs").rename(tmp_path / "elsewhere")
    (site / "runs").symlink_to(tmp_path / "elsewhere")
    build_site(snapshot, site)
    (tmp_path / "elsewhere" / Path(PAGE).name).write_bytes(b"changed elsewhere")
    assert files_of(site) == before


def test_a_file_that_was_changed_while_the_site_was_built_isnt_believed_by_the_next(
    snapshot: Path, site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = files_of(site)
    save = KeptJobs.save

    def late(self: KeptJobs, marker: str, written: dict[str, FileStamp]) -> None:
        _with_another_time(site / PAGE)
        save(self, marker, written)

    with monkeypatch.context() as patched:
        patched.setattr(KeptJobs, "save", late)
        build_site(snapshot, site)
    assert files_of(site) != whole
    build_site(snapshot, site)
    assert files_of(site) == whole


def _with_another_time(page: Path) -> None:
    page.write_bytes(_changed(page))
    os.utime(page, ns=(1, 1))


def test_where_the_clock_stands_still_every_file_is_read(
    snapshot: Path, site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept, "clock_moved_on", lambda _touched: 0)
    build_site(snapshot, site)
    whole, stamp, page = files_of(site), stamp_of(str(site / PAGE)), site / PAGE
    page.write_bytes(_changed(page))
    # As if it were changed within the step in which it was written: nothing but its bytes tells.
    monkeypatch.setattr(EarlierSite, "stamp", lambda _self, _name: stamp)
    built = build_site(snapshot, site)
    assert (built.made, files_of(site)) == (1, whole)


def test_what_a_disk_has_lost_without_a_trace_is_found_in_time(
    snapshot: Path, site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, page = files_of(site), site / PAGE
    now = {name: stamp_of(str(site / name)) for name in whole}
    page.write_bytes(_changed(page))
    monkeypatch.setattr(EarlierSite, "stamp", lambda self, name: now.get(name))
    for _ in range(16):
        build_site(snapshot, site)
        now = {name: stamp_of(str(site / name)) for name in whole}
    assert files_of(site) == whole


def test_files_are_copied_where_they_cant_have_two_names(
    snapshot: Path, site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, first = files_of(site), (site / PAGE).stat().st_ino

    def refused(*_names: object, **_options: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refused)
    assert build_site(snapshot, site).made == 0
    assert files_of(site) == before
    assert (site / PAGE).stat().st_ino != first


def test_a_file_that_goes_between_the_look_and_the_copy_stops_the_build(
    snapshot: Path, site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = files_of(site)

    def changed(self: NewSite, file: Any) -> int:
        if file.name == PAGE:
            _in_place(site / PAGE)
        return self.put(file.name, file.chunks())

    monkeypatch.setattr(NewSite, "take_over", changed)
    with pytest.raises(SiteTargetError) as caught:
        build_site(snapshot, site)
    assert caught.value.code == "SITE-TARGET-005"
    assert {**files_of(site), PAGE: b""} == {**before, PAGE: b""}


def test_with_another_mask_files_are_as_a_first_build_makes_them(snapshot: Path, site: Path) -> None:
    before = files_of(site)
    mask = os.umask(0o077)
    try:
        build_site(snapshot, site)
    finally:
        os.umask(mask)
    assert {path.stat().st_mode & 0o777 for path in site.rglob("*") if path.is_file()} == {0o600}
    assert files_of(site) == before


def _die(*_given: object, **_options: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _after(calls: int, then: Callable[..., Any]) -> Callable[..., Any]:
    """Does what it did so many times, and dies."""
    done = iter(range(calls))

    def limited(*given: object, **options: object) -> Any:
        if next(done, None) is None:
            _die()
        return then(*given, **options)

    return limited


MOMENTS = {
    "the first file": (NewSite, "put", 0),
    "the first kept file": (NewSite, "take_over", 0),
    "a kept file later": (NewSite, "take_over", 9),
    "before it takes its place": (NewSite, "_take_place", 0),
    "before the old site goes": (shutil, "rmtree", 0),
    "before the next build is told": (KeptJobs, "save", 0),
    "while the next build is told": (kept, "keep", 0),
}


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_build_that_is_killed_leaves_one_site_whole(
    later: Path, site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    build_site(later, tmp_path / "wanted")
    old, new = files_of(site), files_of(tmp_path / "wanted")
    where, name, calls = MOMENTS[moment]
    child = os.fork()
    if not child:
        try:
            monkeypatch.setattr(where, name, _after(calls, getattr(where, name)))
            build_site(later, site)
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    assert files_of(site) in (old, new)
    build_site(later, site)
    assert files_of(site) == new
    assert {path.stat().st_nlink for path in site.rglob("*") if path.is_file()} == {1}


@pytest.fixture(autouse=True)
def _no_other_names(tmp_path: Path) -> Iterator[None]:
    yield
    assert not (tmp_path / ".site.building").exists()
