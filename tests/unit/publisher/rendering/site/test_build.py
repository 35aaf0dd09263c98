"""Building: deterministic, whole or not at all, from the snapshot alone."""

import errno
import fcntl
import hashlib
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from dataset.artifacts.definition import PlannedRun
from dataset.measures.run_facts import withdrawn_facts
from dataset.record import CaseId
from publisher.projection.report import Report, Reveal, Withdrawal
from publisher.rendering.errors import SiteTargetError, SnapshotError
from publisher.rendering.site import directory as site_directory
from publisher.rendering.site.build import build_site
from publisher.rendering.site.directory import MARKER
from tests.factories import Scenario, make_batch, write_snapshot
from tests.factories.forgery import rewrite_report

REPOSITORY = Path(__file__).parents[5]


@pytest.fixture
def small(tmp_path: Path) -> Path:
    return write_snapshot(tmp_path / "snapshot", [make_batch("batch-1", model_keys=("careful",), scenario=_one_fails)])


def _one_fails(planned: PlannedRun) -> Scenario:
    return "fail" if planned.position == 2 else "pass"


def tree(directory: Path) -> dict[str, str]:
    return {
        path.relative_to(directory).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(directory.rglob("*"))
        if path.is_file()
    }


@pytest.mark.parametrize(
    "environment",
    [
        {"TZ": "Pacific/Kiritimati", "LC_ALL": "C", "PYTHONHASHSEED": "1", "PYTHONUTF8": "0"},
        {"TZ": "America/St_Johns", "LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "4000000000", "LANG": "zh_CN.UTF-8"},
    ],
)
def test_the_same_snapshot_renders_to_the_same_bytes_anywhere(
    snapshot: Path, site: Path, tmp_path: Path, environment: dict[str, str]
) -> None:
    code = (
        "import os, sys, pathlib; os.umask(0o077); from publisher.rendering.site.build import build_site;"
        "build_site(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))"
    )
    subprocess.run(
        [sys.executable, "-W", "error", "-c", code, snapshot, tmp_path / "again"],
        check=True,
        cwd=REPOSITORY,
        env={"PATH": os.environ["PATH"], **environment},
    )
    assert tree(tmp_path / "again") == tree(site)


def test_rendering_loads_neither_the_engine_nor_the_store() -> None:
    code = (
        "import sys; import publisher.rendering.site.build, publisher.rendering.site.serve;"
        "print([m for m in sys.modules if m.split('.')[0] in ('engine', 'sqlalchemy', 'psycopg', 'aiohttp')"
        " or m.startswith('dataset.store')])"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, cwd=REPOSITORY, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"


def test_the_build_counts_its_pages_and_bytes(small: Path, tmp_path: Path) -> None:
    build = build_site(small, tmp_path / "site")
    files = [path for path in (tmp_path / "site").rglob("*") if path.is_file() and path.name != MARKER]
    assert build.pages == sum(1 for path in files if path.suffix == ".html")
    assert build.bytes == sum(path.stat().st_size for path in files)


def test_a_page_that_is_no_longer_published_goes(small: Path, tmp_path: Path) -> None:
    target = tmp_path / "site"
    build_site(small, target)
    other = write_snapshot(tmp_path / "other", [make_batch("batch-9", model_keys=("careful",))])
    build_site(other, target)
    assert not (target / "batches/batch-1.html").exists()
    assert not list((target / "runs").glob("batch-1-*"))
    assert (target / "batches/batch-9.html").is_file()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other", "site", "snapshot"]


def test_building_again_changes_no_byte(small: Path, tmp_path: Path) -> None:
    build_site(small, tmp_path / "site")
    before = tree(tmp_path / "site")
    build_site(small, tmp_path / "site")
    assert tree(tmp_path / "site") == before


def test_a_directory_of_something_else_is_left_alone(small: Path, tmp_path: Path) -> None:
    target = tmp_path / "home"
    target.mkdir()
    (target / "thesis.txt").write_text("years of work")
    with pytest.raises(SiteTargetError, match=r"holds something else: 'thesis\.txt'"):
        build_site(small, target)
    assert [path.name for path in target.iterdir()] == ["thesis.txt"]


def test_a_site_with_a_file_of_somebody_else_is_left_alone(small: Path, tmp_path: Path) -> None:
    build_site(small, tmp_path / "site")
    (tmp_path / "site/.git").mkdir()
    with pytest.raises(SiteTargetError, match=r"'\.git'"):
        build_site(small, tmp_path / "site")
    assert (tmp_path / "site/.git").is_dir()


@pytest.mark.parametrize("kind", ["file", "link"])
def test_a_target_that_is_no_directory_is_left_alone(small: Path, tmp_path: Path, kind: str) -> None:
    target, elsewhere = tmp_path / "site", tmp_path / "elsewhere"
    elsewhere.mkdir()
    if kind == "file":
        target.write_text("a note")
    else:
        target.symlink_to(elsewhere)
    with pytest.raises(SiteTargetError) as caught:
        build_site(small, target)
    assert caught.value.code == "SITE-TARGET-002"
    assert ("symbolic link" in caught.value.message) == (kind == "link")
    assert (str(elsewhere) in (caught.value.hint or "")) == (kind == "link")
    assert list(elsewhere.iterdir()) == []


def test_the_snapshot_itself_is_never_the_target(small: Path) -> None:
    before = tree(small)
    for target in (small, small / "site", small.parent):
        with pytest.raises(SiteTargetError, match="within each other"):
            build_site(small, target)
    assert tree(small) == before


def test_an_empty_directory_may_become_a_site(small: Path, tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    build_site(small, tmp_path / "site")
    assert (tmp_path / "site/index.html").is_file()


def test_a_missing_parent_is_an_error_that_names_it_and_the_mend(small: Path, tmp_path: Path) -> None:
    with pytest.raises(SiteTargetError) as caught:
        build_site(small, tmp_path / "nowhere/site")
    assert caught.value.code == "SITE-TARGET-003"
    assert f"there is no folder {tmp_path / 'nowhere'}" in caught.value.message
    assert f"make the folder {tmp_path / 'nowhere'}" in (caught.value.hint or "")
    assert_true_of_nothing(caught.value)


def test_a_parent_that_is_a_file_is_an_error_that_says_so(small: Path, tmp_path: Path) -> None:
    (tmp_path / "note").write_text("a note")
    with pytest.raises(SiteTargetError, match=r"note is not a directory") as caught:
        build_site(small, tmp_path / "note/site")
    assert_true_of_nothing(caught.value)


def assert_true_of_nothing(error: SiteTargetError) -> None:
    """Neither the folder that the build writes in is named, nor a site that never stood."""
    told = f"{error.message} {error.hint}"
    assert ".building" not in told
    assert "still stands" not in told


@pytest.mark.parametrize(
    ("number", "mend"),
    [
        (errno.ENOSPC, "free some space"),
        (errno.EDQUOT, "free some space"),
        (errno.EROFS, "may only be read"),
        (errno.EACCES, "that you may write to"),
        (errno.EIO, "check"),
    ],
)
@pytest.mark.parametrize("stood", [True, False], ids=["a site stands", "nothing stands"])
def test_each_cause_has_its_mend_and_what_stands_is_told_where_it_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, mend: str, stood: bool
) -> None:
    def refused(_site: object) -> None:
        raise OSError(number, os.strerror(number), str(tmp_path / ".site.building/site/index.html"))

    if stood:
        (tmp_path / "site").mkdir()
    monkeypatch.setattr(site_directory.NewSite, "_take_place", refused)
    with pytest.raises(SiteTargetError) as caught, site_directory.new_site(tmp_path / "site") as site:
        site.publish()
    assert caught.value.code == "SITE-TARGET-003"
    assert caught.value.message == f"writing {tmp_path / 'site'} failed: {os.strerror(number)}"
    assert mend in (caught.value.hint or "")
    assert ("still stands" in (caught.value.hint or "")) == stood


def test_a_failed_write_leaves_the_old_site_and_nothing_beside_it(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build_site(small, tmp_path / "site")
    before = tree(tmp_path / "site")
    monkeypatch.setattr(site_directory.NewSite, "_take_place", _full_disk)
    with pytest.raises(SiteTargetError, match="No space left"):
        build_site(small, tmp_path / "site")
    assert tree(tmp_path / "site") == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["site", "snapshot"]


def _full_disk(_site: object) -> None:
    raise OSError(28, "No space left on device")


def test_the_old_site_goes_where_directories_cannot_be_exchanged(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build_site(small, tmp_path / "site")
    monkeypatch.setattr(site_directory, "exchange", lambda _left, _right: False)
    other = write_snapshot(tmp_path / "other", [make_batch("batch-9", model_keys=("careful",))])
    build_site(other, tmp_path / "site")
    assert sorted(path.name for path in (tmp_path / "site/batches").iterdir()) == ["batch-9", "batch-9.html"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other", "site", "snapshot"]


def test_what_a_dead_build_left_behind_is_cleared_away(small: Path, tmp_path: Path) -> None:
    (tmp_path / ".site.building/site/runs").mkdir(parents=True)
    (tmp_path / ".site.building/site/index.html").write_text("half")
    build_site(small, tmp_path / "site")
    assert "half" not in (tmp_path / "site/index.html").read_text()
    assert not (tmp_path / ".site.building").exists()


def test_two_builds_of_one_target_do_not_meet(small: Path, tmp_path: Path) -> None:
    with site_directory.new_site(tmp_path / "site"), pytest.raises(SiteTargetError) as caught:
        build_site(small, tmp_path / "site")
    assert caught.value.code == "SITE-TARGET-004"


def test_a_build_that_waited_while_the_directory_was_given_up_locks_the_new_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target, locked = tmp_path / "site", fcntl.flock
    first, third = site_directory.new_site(target), site_directory.new_site(target)
    first.__enter__().put("index.html", [b"first"])

    def between(descriptor: int, operation: int) -> None:
        """The first ends, and a third begins, between the second's opening and its lock."""
        monkeypatch.setattr(fcntl, "flock", locked)
        first.__exit__(None, None, None)
        third.__enter__().put("index.html", [b"third"])
        locked(descriptor, operation)

    monkeypatch.setattr(fcntl, "flock", between)
    with pytest.raises(SiteTargetError) as caught, site_directory.new_site(target):
        pass
    assert caught.value.code == "SITE-TARGET-004"
    assert (tmp_path / ".site.building/site/index.html").read_bytes() == b"third"
    third.__exit__(None, None, None)
    assert list(tmp_path.iterdir()) == []


def test_what_is_put_into_the_target_during_a_build_is_never_replaced(tmp_path: Path) -> None:
    target = tmp_path / "site"
    with site_directory.new_site(target) as site:
        site.publish()
    with site_directory.new_site(target) as site:
        (target / "mine.txt").write_text("mine")
        with pytest.raises(SiteTargetError, match=r"'mine\.txt'"):
            site.publish()
    assert (target / "mine.txt").read_text() == "mine"


def _remove_run(snapshot: Path) -> str:
    run = sorted((snapshot / "runs").iterdir())[3]
    run.unlink()
    return run.name


def _flip_a_byte(snapshot: Path) -> str:
    run = sorted((snapshot / "runs").iterdir())[2]
    run.write_bytes(run.read_bytes().replace(b"000001", b"000002", 1))
    return run.name


def _another_run(snapshot: Path) -> str:
    first, second = sorted((snapshot / "runs").iterdir())[:2]
    first.write_bytes(second.read_bytes())
    return first.name


def _change_report(snapshot: Path) -> str:
    report = snapshot / "reports/batch-1.json"
    report.write_bytes(report.read_bytes() + b" ")
    return "batch-1.json"


def _no_json(snapshot: Path) -> str:
    (snapshot / "index.json").write_text("<html>")
    return "index.json"


def _no_index(snapshot: Path) -> str:
    (snapshot / "index.json").unlink()
    return "index.json"


def _climbing_run(snapshot: Path) -> str:
    def climb(report: Report) -> Report:
        run = report.runs[0].model_copy(update={"run_id": "../../escaped"})
        return report.model_copy(update={"runs": (run, *report.runs[1:])})

    rewrite_report(snapshot, climb)
    return "batch-1.json"


def _foreign_model(snapshot: Path) -> str:
    def rename(report: Report) -> Report:
        run = report.runs[0].model_copy(update={"model_key": "nobody"})
        return report.model_copy(update={"runs": (run, *report.runs[1:])})

    rewrite_report(snapshot, rename)
    return "batch-1.json"


def _chain_to_nowhere(snapshot: Path) -> str:
    def lead_astray(report: Report) -> Report:
        run = report.runs[0].model_copy(update={"supersedes": "batch-1-0099"})
        return report.model_copy(update={"runs": (run, *report.runs[1:])})

    rewrite_report(snapshot, lead_astray)
    return "batch-1.json"


def _climbing_superseded_run(snapshot: Path) -> str:
    def climb(report: Report) -> Report:
        run = report.runs[0].model_copy(update={"run_id": "../../escaped"})
        return report.model_copy(update={"superseded": (run,)})

    rewrite_report(snapshot, climb)
    return "batch-1.json"


def _prettier_facts(snapshot: Path) -> str:
    def prettify(report: Report) -> Report:
        run = next(run for run in report.runs if run.verdict == "fail")
        runs = tuple(r.model_copy(update={"verdict": "pass"}) if r == run else r for r in report.runs)
        return report.model_copy(update={"runs": runs})

    rewrite_report(snapshot, prettify)
    return "batch-1-0002.json"


def _withdrawal_of_a_standing_run(snapshot: Path) -> str:
    def withdraw(report: Report) -> Report:
        gone = Withdrawal(run_id=report.runs[0].run_id, reason="Its fixture was wrong.", release=1)
        return report.model_copy(update={"withdrawals": (gone,)})

    rewrite_report(snapshot, withdraw)
    return "batch-1.json"


def _withdrawn_run_without_a_reason(snapshot: Path) -> str:
    def withdraw(report: Report) -> Report:
        return report.model_copy(update={"runs": (withdrawn_facts(report.runs[0]), *report.runs[1:])})

    rewrite_report(snapshot, withdraw)
    return "batch-1.json"


def _reveal_of_no_case(snapshot: Path) -> str:
    shown = Reveal(case_id=CaseId("nowhere"), parts=("steps",), release=1)
    rewrite_report(snapshot, lambda report: report.model_copy(update={"reveals": (shown,)}))
    return "batch-1.json"


def _other_question(snapshot: Path) -> str:
    def reword(report: Report) -> Report:
        case = report.cases[0]
        assert case.question is not None
        question = case.question.model_copy(update={"scene": "elsewhere"})
        return report.model_copy(update={"cases": (case.model_copy(update={"question": question}), *report.cases[1:])})

    rewrite_report(snapshot, reword)
    return "batch-1.json"


def _twice(snapshot: Path) -> str:
    rewrite_report(snapshot, lambda report: report.model_copy(update={"runs": (report.runs[0], *report.runs)}))
    return "batch-1.json"


@pytest.mark.parametrize(
    "spoil",
    [
        _remove_run,
        _flip_a_byte,
        _another_run,
        _change_report,
        _no_json,
        _no_index,
        _climbing_run,
        _foreign_model,
        _chain_to_nowhere,
        _climbing_superseded_run,
        _prettier_facts,
        _withdrawal_of_a_standing_run,
        _withdrawn_run_without_a_reason,
        _reveal_of_no_case,
        _other_question,
        _twice,
    ],
)
def test_a_broken_snapshot_is_refused_by_the_name_of_its_file(
    small: Path, tmp_path: Path, spoil: Callable[[Path], str]
) -> None:
    build_site(small, tmp_path / "site")
    before = tree(tmp_path / "site")
    file = spoil(small)
    with pytest.raises(SnapshotError) as caught:
        build_site(small, tmp_path / "site")
    assert file in caught.value.message
    assert "glassbench verify" in caught.value.hint
    assert tree(tmp_path / "site") == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["site", "snapshot"]
