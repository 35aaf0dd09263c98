"""What a second judgement changed: every run of both batches, the assertions that differ, and what that comes from."""

from dataclasses import replace
from pathlib import Path

import pytest

from dataset.artifacts.definition import PlannedRun
from publisher.rendering.site.build import build_site
from publisher.rendering.snapshot.rejudgment import rejudgments
from publisher.rendering.snapshot.snapshot import Snapshot
from publisher.rendering.views.changes import ChangesView, changes_view
from tests.factories import SampleBatch, Scenario, make_batch
from tests.factories.released import Change, write_released
from tests.unit.publisher.rendering.html_page import HtmlPage, read_pages
from tests.unit.publisher.rendering.marked import MARKS, marked_batch


def words(page: HtmlPage) -> str:
    return " ".join(page.text.split())


def _first_fails(planned: PlannedRun) -> Scenario:
    return "fail" if planned.position == 1 else "pass"


def _passes(planned: PlannedRun) -> Scenario:
    return "pass"


def judged(batch: SampleBatch, judge: str) -> SampleBatch:
    """The batch as another judge's. Its artifacts are as they were: what they say of the judge plays no part here."""
    return replace(batch, definition=batch.definition.model_copy(update={"judge_version": judge}))


def pair() -> list[SampleBatch]:
    first = make_batch("first", model_keys=("careful",), scenario=_first_fails)
    again = make_batch("again", model_keys=("careful",), scenario=_passes, replay_of="first")
    return [first, judged(again, "fixed-rules-v2")]


def view_of(snapshot: Path) -> ChangesView:
    source = Snapshot(snapshot)
    (again,) = rejudgments(source.batches)
    return changes_view(again, lambda batch, facts: source.run(batch, facts)[0])


@pytest.fixture(scope="module")
def rejudged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("rejudged")
    write_released(folder / "snapshot", pair())
    build_site(folder / "snapshot", folder / "site")
    return folder


def test_each_run_stands_beside_the_one_that_it_judges_again(rejudged: Path) -> None:
    view = view_of(rejudged / "snapshot")
    assert [run.outcome for run in view.runs] == ["changed", *["unchanged"] * 5]
    for run in view.runs:
        before, after = run.pair.before, run.pair.after
        assert before is not None
        assert (before.case_id, before.variant_id, before.repeat) == (after.case_id, after.variant_id, after.repeat)


def test_the_assertions_that_differ_are_shown_as_they_came_out(rejudged: Path) -> None:
    changed = view_of(rejudged / "snapshot").runs[0]
    assert {found.id for found in changed.assertions} == {"tool.must.1-fund_nav", "answer.number.nav"}
    assert all(f.before is not None and not f.before.passed for f in changed.assertions)
    assert all(f.after is not None and f.after.passed for f in changed.assertions)
    cells = HtmlPage.read(rejudged / "site/batches/again.changes.html").cells
    assert "tool.must.1-fund_nav ✗ fails observed 0 expected at least 1 ✓ holds observed 1" in cells


def test_the_page_counts_what_changed_and_names_the_judge(rejudged: Path) -> None:
    page = HtmlPage.read(rejudged / "site/batches/again.changes.html")
    assert "One verdict changed, 5 runs came out the same. What judges differs: see below." in words(page)
    assert "Judge fixed-rules-v1 fixed-rules-v2 yes" in page.cells
    assert "Judged otherwise: judge fixed-rules-v1 → fixed-rules-v2." in words(page)
    assert "5 of 6 passed" in words(page)
    assert "6 of 6 passed" in words(page)
    assert "no model was asked" in words(page)


def test_both_batches_and_both_runs_lead_to_it(rejudged: Path) -> None:
    pages = read_pages(rejudged / "site")
    for name in ("batches/first.html", "batches/again.html"):
        assert "../batches/again.changes.html" in pages[name].links
    ids = set(pages["batches/again.changes.html"].ids)
    for number in range(1, 7):
        anchor = f"run-again-{number:04d}"
        assert anchor in ids
        for batch in ("first", "again"):
            assert f"../batches/again.changes.html#{anchor}" in pages[f"runs/{batch}-{number:04d}.html"].links


def test_a_second_judgement_that_changes_nothing_says_so(tmp_path: Path) -> None:
    first = make_batch("first", model_keys=("careful",))
    write_released(tmp_path / "snapshot", [first, make_batch("again", model_keys=("careful",), replay_of="first")])
    build_site(tmp_path / "snapshot", tmp_path / "site")
    text = words(HtmlPage.read(tmp_path / "site/batches/again.changes.html"))
    assert "No verdict changed, 6 runs came out the same. Judge and golds are the same on both sides." in text
    assert "Nothing: both name the same judge, golds, questions and code." in text


def test_a_gold_that_differs_is_named_for_the_runs_of_its_case_alone(tmp_path: Path) -> None:
    first, again = pair()
    cases = list(first.definition.cases)
    cases[0] = cases[0].model_copy(update={"gold_version": 7, "gold_hash": "7" * 64})
    source = Snapshot(write_released(tmp_path, [first, again]))
    (found,) = rejudgments(source.batches)
    report = found.before.report
    definition = report.definition.model_copy(update={"cases": tuple(cases), "judge_version": "fixed-rules-v2"})
    before = replace(found.before, report=report.model_copy(update={"definition": definition}))
    view = changes_view(replace(found, before=before), lambda batch, facts: source.run(batch, facts)[0])
    assert [(change.label, change.case_id) for change in view.definition] == [("Gold", cases[0].id)]
    assert str(view.definition[0].before) == f"version 7, {'7' * 64}"
    for run in view.runs:
        assert bool(run.causes) is (run.pair.after.case_id == cases[0].id)


def test_verdicts_that_differ_without_a_reason_are_called_unexplained(tmp_path: Path) -> None:
    first = make_batch("first", model_keys=("careful",), scenario=_first_fails)
    again = make_batch("again", model_keys=("careful",), scenario=_passes, replay_of="first")
    build_site(write_released(tmp_path / "snapshot", [first, again]), tmp_path / "site")
    text = words(HtmlPage.read(tmp_path / "site/batches/again.changes.html"))
    assert "Judge and golds are the same on both sides, so neither explains it." in text


def test_a_withdrawn_side_cant_be_compared(tmp_path: Path) -> None:
    change = Change(withdrawn={"first-0001": "Its fixture was wrong."})
    snapshot = write_released(tmp_path / "snapshot", pair(), change)
    view = view_of(snapshot)
    assert [run.outcome for run in view.runs] == ["apart", *["unchanged"] * 5]
    build_site(snapshot, tmp_path / "site")
    text = words(HtmlPage.read(tmp_path / "site/batches/again.changes.html"))
    assert "one can't be compared" in text
    assert "⊖ withdrawn first-0001" in text


def test_assertions_that_one_side_withholds_are_shown_of_neither(tmp_path: Path) -> None:
    held = marked_batch("first", ("judgment", "output_checks", "gold"))
    again = make_batch("again", case_ids=("fund-nav",), model_keys=("careful",), scenario=_passes, replay_of="first")
    build_site(write_released(tmp_path / "snapshot", [held, again]), tmp_path / "site")
    data = (tmp_path / "site/batches/again.changes.html").read_text(encoding="utf-8")
    assert "Which assertions differ can't be shown: first withholds them." in data
    assert not [mark for part, mark in MARKS.items() if part in ("judgment", "output_checks", "gold") and mark in data]


def test_a_batch_whose_source_isnt_published_has_no_such_page(tmp_path: Path) -> None:
    build_site(
        write_released(tmp_path / "snapshot", [make_batch("c", model_keys=("careful",), replay_of="d")]),
        tmp_path / "site",
    )
    assert not list((tmp_path / "site").rglob("*.changes.html"))
