"""Previews: what the owner sees before anybody else does, and that nothing takes it for a release."""

from __future__ import annotations

import json
import re
import stat
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from dataset.artifacts.definition import PlannedRun
from dataset.questions.withholding import WITHHELD
from dataset.record import BatchId
from publisher.intake.interface import StoredRun
from publisher.mirror.pages import is_site
from publisher.preview.errors import PreviewError, PreviewRefusedError
from publisher.preview.marker import PREVIEW_MARKER, PreviewGivenError
from publisher.preview.preview import Previewed, preview
from publisher.releases.history import history
from publisher.releases.publish import publish
from publisher.releases.withdraw import withdraw
from publisher.rendering.errors import SiteTargetError
from publisher.rendering.site.build import build_site
from tests.factories import SampleBatch, SampleSource, Scenario, WordScanner, make_batch, write_snapshot
from tests.factories.source import head_of
from tests.unit.publisher.rendering.marked import MARKS, QUESTION_MARK, marked_batch

SCANNER = WordScanner()
LINK = re.compile(r'(?:href|src|action)="([^"#?]*)')
ENGLISH, CHINESE = "NOT PUBLISHED.", "未发布。"
OF_RELEASES = ("index.json", "log", "releases", "data", "citations", "badges", "embed", "feed.atom", "sitemap.xml")


def make(sources: Sequence[SampleSource], folder: Path, name: str = "preview") -> Previewed:
    return preview(sources, folder / name, SCANNER, private=folder / "private")


def unfinished(batch: SampleBatch, runs: int) -> SampleSource:
    whole = SampleSource.of(batch)
    return replace(whole, stored=replace(head_of(batch), finished=False), rows=whole.rows[:runs])


def pages(directory: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(directory.rglob("*.html")):
        yield path.relative_to(directory).as_posix(), path.read_text(encoding="utf-8")


def one_fails(planned: PlannedRun) -> Scenario:
    return "fail" if planned.position == 2 else "pass"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("previews")


@pytest.fixture(scope="module")
def whole(folder: Path) -> Previewed:
    """Two finished batches, one of which withholds."""
    shown = make_batch("batch-1", scenario=one_fails)
    held = make_batch("batch-2", model_keys=("careful",), withheld=("case", "context", "gold"))
    return make([SampleSource.of(shown), SampleSource.of(held)], folder)


@pytest.fixture(scope="module")
def part(folder: Path) -> Previewed:
    """The first five runs of a batch that is under way."""
    return make([unfinished(make_batch("batch-1"), 5)], folder, "part")


def test_every_page_says_in_its_language_that_it_is_not_published_and_asks_not_to_be_indexed(whole: Previewed) -> None:
    found = list(pages(whole.target))
    assert len(found) == whole.pages > 60
    for name, text in found:
        assert (CHINESE if name.startswith("zh/") else ENGLISH) in text, name
        assert '<meta name="robots" content="noindex, nofollow, noarchive">' in text, name
        title = text.partition("<title>")[2].partition("</title>")[0]
        assert title.startswith("未发布 · " if name.startswith("zh/") else "NOT PUBLISHED · "), name
    assert (whole.target / "robots.txt").read_text() == "User-agent: *\nDisallow: /\n"


def test_nothing_of_it_could_pass_for_a_release(whole: Previewed) -> None:
    names = {path.name for path in whole.target.iterdir()}
    assert not names & set(OF_RELEASES)
    assert not list(whole.target.rglob("*.png"))
    for name, text in pages(whole.target):
        for word in ("feed.atom", "downloads.html", "releases/", "og:image", 'rel="canonical"', "citations/", "data/"):
            assert word not in text, (name, word)
        assert not re.search(r"[Rr]elease 1\b|发布 ?1", text), name
    assert b"releases/1.html" not in b"".join(path.read_bytes() for path in (whole.target / "search").rglob("*.js"))


@pytest.mark.parametrize("made", ["whole", "part"])
def test_every_link_of_a_preview_leads_somewhere(made: str, request: pytest.FixtureRequest) -> None:
    target = request.getfixturevalue(made).target
    for name, text in pages(target):
        for href in LINK.findall(text):
            if href and not re.match(r"[a-z]+:", href):
                assert (target / name).parent.joinpath(href).resolve().is_file(), (name, href)


def test_parts_that_would_be_withheld_are_withheld(tmp_path: Path) -> None:
    source = SampleSource.of(marked_batch("batch-1", WITHHELD))
    assert b"zqsteps" in source.rows[0].data
    target = make([source], tmp_path).target
    assert "withheld" in (target / "runs/batch-1-0001.html").read_text()
    for path in filter(Path.is_file, target.rglob("*")):
        data = path.read_bytes()
        assert [mark for mark in (*MARKS.values(), QUESTION_MARK) if mark.encode() in data] == [], path


def test_a_question_that_is_not_the_frozen_one_is_told_without_a_place_on_this_machine(tmp_path: Path) -> None:
    with pytest.raises(PreviewError, match="isn't the one that was frozen") as refused:
        make([SampleSource.of(marked_batch("batch-1", ()))], tmp_path)
    assert refused.value.code == "PREVIEW-BATCH-003"
    assert str(tmp_path) not in refused.value.message
    assert {path.name for path in tmp_path.iterdir()} == {"private"}


def test_what_no_gate_refuses_is_said_to_be_refused_by_none(whole: Previewed) -> None:
    assert whole.refusal.faults == ()
    assert "No gate refuses what is shown here" in (whole.target / "index.html").read_text()


def test_only_its_owner_may_enter_and_what_it_was_made_from_is_gone(whole: Previewed, folder: Path) -> None:
    assert stat.S_IMODE(whole.target.stat().st_mode) == 0o700
    assert list((folder / "private").iterdir()) == []
    assert stat.S_IMODE((folder / "private").stat().st_mode) == 0o700
    assert (whole.target / ".gitignore").read_text().endswith("\n*\n")


def test_the_finished_part_of_a_batch_is_shown_with_what_the_gates_would_refuse_on_top(part: Previewed) -> None:
    assert [(batch.planned, batch.shown) for batch in part.notice.batches] == [(12, 5)]
    codes = {fault.code for fault in part.refusal.faults}
    assert {"GATE-BATCH-002", "GATE-RUNS-001"} <= codes
    front = (part.target / "index.html").read_text()
    assert "5 of 12 planned runs are shown" in front
    assert front.index("GATE-BATCH-002") < front.index("<main")
    assert "GATE-RUNS-001" in (part.target / "preview.html").read_text()
    assert "计划的 12 次运行中显示了 5 次" in (part.target / "zh/index.html").read_text()
    assert len(list((part.target / "runs").glob("*.html"))) == 5


def test_what_the_scan_finds_is_written_nowhere_and_said(tmp_path: Path) -> None:
    clean, dirty = make_batch("batch-1"), make_batch("batch-1", text=SCANNER.word)
    source = SampleSource.of(clean)
    bad = SampleSource.of(dirty).rows[2]
    made = make([source.with_row(2, data=bad.data, artifact_hash=bad.artifact_hash)], tmp_path)
    assert made.notice.left_out == ("batch-1-0003",)
    assert made.notice.batches[0].shown == 11
    assert not (made.target / "runs/batch-1-0003.html").exists()
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or SCANNER.word.encode() not in path.read_bytes(), path
    about = (made.target / "preview.html").read_text()
    assert "<code>batch-1-0003</code>" in about
    assert "GATE-SCAN-001" in about


def test_a_batch_with_a_secret_in_its_report_is_left_out_beside_others_and_refused_alone(tmp_path: Path) -> None:
    secret = SampleSource.of(make_batch("batch-2", text=SCANNER.word))
    made = make([SampleSource.of(make_batch("batch-1")), secret], tmp_path)
    assert [batch.batch_id for batch in made.notice.batches] == ["batch-1"]
    assert "batch-2" in made.notice.left_out
    with pytest.raises(PreviewRefusedError) as refused:
        make([secret], tmp_path, "alone")
    assert "GATE-SCAN-001" in {fault.code for fault in refused.value.refusal.faults}
    assert SCANNER.word not in "".join(refused.value.refusal.lines())
    assert {path.name for path in tmp_path.iterdir()} == {"preview", "private"}


@pytest.mark.parametrize(
    ("source", "code"),
    [
        (SampleSource(batch_id=BatchId("nothing"), stored=None), "PREVIEW-BATCH-001"),
        (unfinished(make_batch("batch-1"), 0), "PREVIEW-BATCH-002"),
        (
            SampleSource(
                batch_id=BatchId("batch-1"),
                stored=replace(head_of(make_batch("batch-1")), pack=None, pack_fault="no such pack"),
            ),
            "PREVIEW-BATCH-003",
        ),
    ],
)
def test_where_there_is_nothing_to_show_nothing_is_written(source: SampleSource, code: str, tmp_path: Path) -> None:
    with pytest.raises(PreviewError) as refused:
        make([source], tmp_path)
    assert refused.value.code == code
    assert list(tmp_path.iterdir()) == []


def test_runs_that_are_recorded_meanwhile_are_passed_over_and_a_changed_one_refused(tmp_path: Path) -> None:
    batch = make_batch("batch-1")

    class Growing(SampleSource):
        times = 0

        def runs(self) -> Iterator[StoredRun]:
            Growing.times += 1
            return iter(self.rows[: 3 * Growing.times])

    whole = SampleSource.of(batch)
    growing = Growing(batch_id=whole.batch_id, stored=replace(head_of(batch), finished=False), rows=whole.rows)
    assert make([growing], tmp_path).notice.shown == 3

    class Changing(Growing):
        def runs(self) -> Iterator[StoredRun]:
            Growing.times += 1
            rows = list(self.rows)
            rows[0] = replace(rows[0], data=rows[0].data if Growing.times % 2 else rows[1].data)
            return iter(rows)

    Growing.times = 0
    changing = Changing(batch_id=whole.batch_id, stored=whole.stored, rows=whole.rows)
    with pytest.raises(PreviewError, match="batch-1-0001: the row changed"):
        make([changing], tmp_path, "other")
    assert not (tmp_path / "other").exists()
    assert list((tmp_path / "private").iterdir()) == []


def test_a_preview_replaces_an_earlier_one_as_a_whole(tmp_path: Path) -> None:
    make([SampleSource.of(make_batch("batch-1"))], tmp_path)
    make([SampleSource.of(make_batch("batch-2", model_keys=("careful",)))], tmp_path)
    assert not (tmp_path / "preview/batches/batch-1.html").exists()
    assert (tmp_path / "preview/batches/batch-2.html").exists()
    assert {path.name for path in tmp_path.iterdir()} == {"preview", "private"}


@pytest.fixture
def published(tmp_path: Path) -> Path:
    snapshot = write_snapshot(tmp_path / "snapshot", [make_batch("batch-1", model_keys=("careful",))])
    build_site(snapshot, tmp_path / "site")
    (tmp_path / "other").mkdir()
    (tmp_path / "other/notes.txt").write_text("mine")
    (tmp_path / "link").symlink_to(snapshot)
    return tmp_path


def content(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file() and not p.is_symlink()}


@pytest.mark.parametrize(
    "target", ["snapshot", "site", "other", "snapshot/preview", "site/a/b", "link", "link/preview", "other/notes.txt"]
)
def test_snapshots_sites_and_other_things_are_never_touched(published: Path, target: str) -> None:
    before = content(published)
    with pytest.raises((PreviewError, SiteTargetError)):
        make([SampleSource.of(make_batch("batch-9"))], published, target)
    after = {name: data for name, data in content(published).items() if not name.startswith("private")}
    assert after == before
    assert not [path for path in published.rglob(".*") if path.suffix == ".building"]


def test_no_command_takes_a_preview_for_a_snapshot_or_a_site(whole: Previewed, published: Path) -> None:
    target, before = whole.target, content(whole.target)
    source = SampleSource.of(make_batch("batch-1"))
    for act in (
        lambda: publish([source], target, SCANNER),
        lambda: withdraw(["batch-1"], "The fixture was wrong.", target, SCANNER),
        lambda: build_site(target, published / "new"),
        lambda: build_site(published / "snapshot", target),
        lambda: history(target),
    ):
        with pytest.raises(PreviewGivenError, match="aren't published"):
            act()
    assert content(target) == before
    assert not (published / "new").exists()


def test_without_its_marker_it_is_still_no_snapshot(whole: Previewed, tmp_path: Path) -> None:
    copied = tmp_path / "copied"
    copied.mkdir()
    for path in whole.target.iterdir():
        if not path.name.startswith("."):
            (copied / path.name).symlink_to(path)
    assert is_site(copied)
    with pytest.raises(Exception, match="holds something else"):
        publish([SampleSource.of(make_batch("batch-1"))], copied, SCANNER)


def test_the_marker_names_what_the_preview_made(whole: Previewed) -> None:
    first, *names = (whole.target / PREVIEW_MARKER).read_text().splitlines()
    assert first == "glassbench.preview/1"
    assert set(names) == {path.name for path in whole.target.iterdir()} - {PREVIEW_MARKER}


def test_run_files_of_a_preview_are_those_that_would_be_published(whole: Previewed, tmp_path: Path) -> None:
    shown = make_batch("batch-1", scenario=one_fails)
    done = publish([SampleSource.of(shown)], tmp_path / "snapshot", SCANNER)
    for path in (done.target / "runs").iterdir():
        assert (whole.target / "runs" / path.name).read_bytes() == path.read_bytes()
    report = json.loads((done.target / "reports/batch-1.json").read_bytes())
    assert json.loads((whole.target / "reports/batch-1.json").read_bytes()) == report
