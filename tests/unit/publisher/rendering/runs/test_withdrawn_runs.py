"""A withdrawn run keeps its address, hash and reason, and nothing else of it is in a site."""

from pathlib import Path

import pytest

from dataset.canonical import canonical_bytes, read_canonical
from dataset.measures.run_facts import WITHDRAWN
from publisher.rendering.boards.board import boards
from publisher.rendering.errors import SnapshotError
from publisher.rendering.site.build import build_site
from publisher.rendering.snapshot.snapshot import Snapshot
from publisher.rendering.visible_text import plain
from tests.factories import SampleBatch, make_batch
from tests.factories.released import Change, write_released
from tests.unit.publisher.rendering.html_page import HtmlPage, read_pages
from tests.unit.publisher.rendering.marked import MARKS, marked_batch
from tests.unit.publisher.rendering.test_pages import read_report

REASON = "Its fixture gave a stale price."


def words(page: HtmlPage) -> str:
    return " ".join(page.text.split())


def everything(batch: SampleBatch) -> Change:
    return Change(withdrawn={str(run_id): REASON for run_id in batch.artifacts})


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two of the first batch's runs withdrawn, and every run of the second."""
    first, second = make_batch("batch-1"), make_batch("batch-2")
    change = Change(withdrawn={"batch-1-0001": REASON, "batch-1-0005": REASON} | dict(everything(second).withdrawn))
    return write_released(tmp_path_factory.mktemp("withdrawn"), [first, second], change)


@pytest.fixture(scope="module")
def withdrawn(snapshot: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("withdrawn-site") / "site"
    build_site(snapshot, target)
    return target


def test_its_page_says_why_and_since_when_and_keeps_its_place(withdrawn: Path) -> None:
    run = next(run for run in read_report(withdrawn, "batch-1").runs if run.run_id == "batch-1-0005")
    page = HtmlPage.read(withdrawn / "runs/batch-1-0005.html")
    assert f"Withdrawn in release 3: {REASON}" in words(page)
    assert run.artifact_hash in page.text
    assert {
        "batch-1-0004.html",
        "batch-1-0006.html",
        "../runs/batch-1-0005.json",
        f"../cases/{run.case_id}.html",
    } <= set(page.links)
    assert "Published in release 1" in page.cells
    assert HtmlPage.read(withdrawn / "runs/batch-1-0004.html").links.count("batch-1-0005.html") >= 1


def test_nothing_of_what_it_recorded_is_left(tmp_path: Path) -> None:
    batch = marked_batch("batch-1", ())
    build_site(write_released(tmp_path / "snapshot", [batch], everything(batch)), tmp_path / "site")
    whole = b"".join(path.read_bytes() for path in sorted((tmp_path / "site").rglob("*")) if path.is_file())
    # The gold belongs to the case, which stays.
    assert {part for part, mark in MARKS.items() if mark.encode() in whole} == {"gold"}


def test_tables_mark_it_with_a_sign_and_a_word_of_its_own(withdrawn: Path) -> None:
    assert WITHDRAWN == "withdrawn"
    for name in ("batches/batch-1.html", "cases/fund-nav.html", "cases/advice-wish.html"):
        page = HtmlPage.read(withdrawn / name)
        marked = [link for tag, link in page.elements if tag == "a" and "withdrawn" in (link.get("aria-label") or "")]
        assert marked, name
        assert all(str(link["href"]).startswith("../runs/") for link in marked)
        assert "⊖ withdrawn" in page.text
        assert "verdict withdrawn" in page.values("span", "class")


def test_the_batch_counts_it_as_invalid_and_says_how_many_were_withdrawn(withdrawn: Path) -> None:
    report = read_report(withdrawn, "batch-1")
    text = words(HtmlPage.read(withdrawn / "batches/batch-1.html"))
    assert "2 of 12 runs were withdrawn." in text
    assert f"2 runs withdrawn in release 3: {REASON}" in text
    gone = {run.model_key for run in report.runs if run.invalid_reason == WITHDRAWN}
    for key in gone:
        found = report.models[key]
        assert f"{found.invalid} invalid of {found.planned} planned." in text
        assert found.metrics["worst-case"] != found.metrics["best-case"]


def test_a_wholly_withdrawn_batch_is_listed_and_nowhere_ranked(withdrawn: Path, snapshot: Path) -> None:
    page = words(HtmlPage.read(withdrawn / "batches/batch-2.html"))
    assert "This batch was withdrawn." in page
    assert "A rank is a range" not in page
    (board,) = boards(Snapshot(snapshot).batches)
    assert {row.batch_id for row in board.rows} == {"batch-1"}
    assert board.withdrawn == ("batch-2",)
    front = HtmlPage.read(withdrawn / "index.html")
    assert "withdrawn batch-2 · release 3" in words(front)


def test_a_snapshot_of_withdrawn_batches_has_no_board(tmp_path: Path) -> None:
    batch = make_batch("batch-1", model_keys=("careful",))
    build_site(write_released(tmp_path / "snapshot", [batch], everything(batch)), tmp_path / "site")
    front = HtmlPage.read(tmp_path / "site/index.html")
    assert "Every batch of this snapshot was withdrawn." in front.text
    assert "batches/batch-1.html" in front.links


def test_every_link_still_leads_somewhere(withdrawn: Path) -> None:
    for name, page in read_pages(withdrawn).items():
        for link in page.links:
            path = (withdrawn / name).parent / link.partition("#")[0]
            assert not link.partition("#")[0] or path.is_file(), f"{name}: {link}"


@pytest.mark.parametrize("change", [{"reason": "Another reason."}, {"artifact_hash": "0" * 64}, {"release": 1}])
def test_a_tombstone_that_tells_otherwise_than_the_report_is_refused(
    tmp_path: Path, change: dict[str, str | int]
) -> None:
    batch = make_batch("batch-1", model_keys=("careful",))
    snapshot = write_released(tmp_path / "snapshot", [batch], Change(withdrawn={"batch-1-0001": REASON}))
    file = snapshot / "runs/batch-1-0001.json"
    file.write_bytes(canonical_bytes({**read_canonical(file.read_bytes()), **change}))
    with pytest.raises(SnapshotError, match=r"batch-1-0001\.json"):
        build_site(snapshot, tmp_path / "site")


def test_a_run_in_the_place_of_a_tombstone_is_refused(tmp_path: Path) -> None:
    batch = make_batch("batch-1", model_keys=("careful",))
    snapshot = write_released(tmp_path / "snapshot", [batch], Change(withdrawn={"batch-1-0001": REASON}))
    (snapshot / "runs/batch-1-0001.json").write_bytes(next(iter(batch.artifacts.values())))
    with pytest.raises(SnapshotError, match=r"batch-1-0001\.json"):
        build_site(snapshot, tmp_path / "site")


def test_hostile_text_in_a_reason_adds_no_element_and_no_attribute(
    withdrawn: Path, tmp_path: Path, hostile_texts: list[str]
) -> None:
    first = make_batch("batch-1")
    reasons = [f"Reason: {text}"[:900].strip() for text in hostile_texts]
    given = dict(zip(map(str, first.artifacts), reasons, strict=False))
    build_site(write_released(tmp_path / "snapshot", [first], Change(withdrawn=given)), tmp_path / "site")
    ours = set().union(*(page.shape for page in read_pages(withdrawn).values()))
    pages = read_pages(tmp_path / "site")
    assert set().union(*(page.shape for page in pages.values())) <= ours | {("span", ""), ("span", "class")}
    for run_id, reason in given.items():
        for name in (f"runs/{run_id}.html", "batches/batch-1.html", "releases.html"):
            assert plain(reason) in pages[name].text, name
