"""What is withheld is shown as withheld, in its place, and is nowhere in a site."""

from pathlib import Path

import pytest

from dataset.artifacts.artifact import SECTION_NAMES
from dataset.artifacts.digest import open_artifact
from dataset.artifacts.disclosure import open_disclosed
from dataset.questions.withholding import QUESTION_PARTS, WITHHELD, Withheld, closed
from publisher.rendering.errors import SnapshotError
from publisher.rendering.site.build import build_site
from publisher.rendering.snapshot.section_seal import HOLDS
from tests.factories import make_batch, write_snapshot
from tests.factories.released import Change, write_released
from tests.unit.publisher.rendering.html_page import HtmlPage, read_pages
from tests.unit.publisher.rendering.marked import MARKS, QUESTION_MARK, marked_batch

CLOSED: dict[str, tuple[Withheld, ...]] = {part: closed((part,)) for part in WITHHELD}
PARTS = tuple(CLOSED.values())


def words(page: HtmlPage) -> str:
    return " ".join(page.text.split())


def marks_of(parts: tuple[Withheld, ...]) -> set[str]:
    found = {MARKS[part] for part in parts}
    return found | ({QUESTION_MARK} if QUESTION_PARTS & set(parts) else set())


@pytest.mark.parametrize("parts", [*PARTS, closed(WITHHELD)], ids=lambda parts: "+".join(parts))
def test_no_byte_of_a_site_tells_of_what_is_withheld(tmp_path: Path, parts: tuple[Withheld, ...]) -> None:
    build_site(write_released(tmp_path / "snapshot", [marked_batch("batch-1", parts)]), tmp_path / "site")
    whole = b"".join(path.read_bytes() for path in sorted((tmp_path / "site").rglob("*")) if path.is_file())
    there = {mark for mark in (*MARKS.values(), QUESTION_MARK) if mark.encode() in whole}
    assert there == {*MARKS.values(), QUESTION_MARK} - marks_of(parts)


def test_pages_show_every_part_that_isnt_withheld(tmp_path: Path) -> None:
    build_site(write_released(tmp_path / "snapshot", [marked_batch("batch-1", ())]), tmp_path / "site")
    shown = (tmp_path / "site/runs/batch-1-0001.html").read_text(encoding="utf-8")
    assert {part for part, mark in MARKS.items() if mark in shown} == set(MARKS) - {"gold", "judgment"}
    assert MARKS["gold"] in (tmp_path / "site/cases/fund-nav.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("parts", PARTS, ids=lambda parts: parts[0])
def test_each_withheld_section_stands_in_its_place_with_its_digest(tmp_path: Path, parts: tuple[Withheld, ...]) -> None:
    batch = make_batch("batch-1", case_ids=("fund-nav",), model_keys=("careful",), withheld=parts)
    build_site(write_released(tmp_path / "snapshot", [batch]), tmp_path / "site")
    for run_id, data in batch.artifacts.items():
        digests = open_artifact(data).digests
        text = HtmlPage.read(tmp_path / f"site/runs/{run_id}.html").cells
        for part in parts:
            if part in SECTION_NAMES:
                assert f"withheld Here would stand {HOLDS[part]}." in text
                assert f"By release 1 it was committed to under its digest {digests[part]}" in text
        for name in SECTION_NAMES:
            row = f"{name} {digests[name]} withheld committed in release 1"
            assert (row in text) is (name in parts)


def test_what_the_report_alone_tells_is_marked_as_claimed(tmp_path: Path) -> None:
    batch = make_batch("batch-1", model_keys=("careless",), withheld=("result", "judgment"))
    build_site(write_released(tmp_path / "snapshot", [batch]), tmp_path / "site")
    run = next(run for run in batch.report.runs if run.verdict == "fail")
    text = HtmlPage.read(tmp_path / f"site/runs/{run.run_id}.html").cells
    assert "✗ fail claimed" in text
    assert f"Tool calls {run.tool_calls} claimed" in text
    assert f"Corrections {run.corrections} claimed" in text
    assert all(f"{reason}" in text for reason in run.failure_reasons)


def test_a_public_run_claims_nothing(site: Path) -> None:
    assert not any("claimed" in str(page.values("span", "class")) for page in read_pages(site).values())


def test_a_case_falls_back_to_its_id_and_shows_both_hashes(tmp_path: Path) -> None:
    batch = marked_batch("batch-1", CLOSED["case"])
    build_site(write_released(tmp_path / "snapshot", [batch]), tmp_path / "site")
    page = HtmlPage.read(tmp_path / "site/cases/fund-nav.html")
    frozen = batch.definition.cases[0]
    assert "fund-nav The question is withheld." in words(page)
    assert f"committed to under the hash {frozen.hash}" in words(page)
    assert f"committed to under the hash {frozen.gold_hash}" in words(page)
    assert "fail claimed fund-nav" in HtmlPage.read(tmp_path / "site/runs/batch-1-0001.html").cells


def test_what_one_batch_withholds_another_may_show(tmp_path: Path) -> None:
    held = marked_batch("batch-1", CLOSED["case"])
    opened = marked_batch("batch-2", CLOSED["case"])
    change = Change(revealed={("batch-2", "fund-nav"): CLOSED["case"]})
    build_site(write_released(tmp_path / "snapshot", [held, opened], change), tmp_path / "site")
    page = HtmlPage.read(tmp_path / "site/cases/fund-nav.html")
    assert QUESTION_MARK in words(page)
    assert page.text.count("Here would stand") == 0
    assert "Withheld in batch batch-2 until release 3" in words(page)
    assert "Here would stand" in words(HtmlPage.read(tmp_path / "site/runs/batch-1-0001.html"))


def test_a_revealed_section_says_what_it_was_committed_as(tmp_path: Path) -> None:
    batch = marked_batch("batch-1", CLOSED["steps"])
    change = Change(revealed={("batch-1", "fund-nav"): ("steps", "result")})
    build_site(write_released(tmp_path / "snapshot", [batch], change), tmp_path / "site")
    page = HtmlPage.read(tmp_path / "site/runs/batch-1-0001.html")
    said = "Withheld until release 2, which revealed it; the digest that release 1 committed to is the digest of what"
    assert words(page).count(said) == 2
    assert "steps withheld until release 2" in page.cells
    assert "guardrail_checks withheld until" not in page.cells
    assert MARKS["steps"] in words(page)
    assert MARKS["guardrail_checks"] not in words(page)


def test_the_batch_names_the_cases_with_withheld_parts(tmp_path: Path) -> None:
    batch = make_batch("batch-1", model_keys=("careful",), withheld=("gold",))
    change = Change(revealed={("batch-1", "fund-nav"): CLOSED["gold"]})
    build_site(write_released(tmp_path / "snapshot", [batch], change), tmp_path / "site")
    text = words(HtmlPage.read(tmp_path / "site/batches/batch-1.html"))
    assert "3 of 3 cases have withheld parts, or had them" in text
    assert "order-history: withheld judgment, output checks, gold" in text
    assert "fund-nav: revealed since: judgment (release 2)" in text


def test_a_file_that_lacks_more_than_its_report_withholds_is_refused(tmp_path: Path) -> None:
    snapshot = write_snapshot(tmp_path / "snapshot", [make_batch("batch-1", withheld=("gold",))])
    other = make_batch("batch-1", withheld=("steps",))
    for run_id, data in other.published.items():
        assert "steps" in open_disclosed(data).withheld
        (snapshot / f"runs/{run_id}.json").write_bytes(data)
    with pytest.raises(SnapshotError, match=r"doesn't lack the sections that its report withholds"):
        build_site(snapshot, tmp_path / "site")
