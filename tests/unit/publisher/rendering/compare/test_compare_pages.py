"""The pages that compare: which there are, what they count, and that they show what a side is."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from dataset.artifacts.definition import PlannedRun
from dataset.measures.contrast import measure_contrast
from dataset.questions.withholding import Withheld
from publisher.rendering.compare.matchup import ALL_PAIRS, Matchups, matchups_of
from publisher.rendering.compare.measuring import measured
from publisher.rendering.compare.view import PAIRS_A_PAGE, compare_parts, compare_view
from publisher.rendering.language.language import CHINESE
from publisher.rendering.page_names import beside_page
from publisher.rendering.pages.beside import beside_pages, places_of
from publisher.rendering.pages.comparisons import comparison_pages
from publisher.rendering.pages.interface import Page, SiteSource
from publisher.rendering.pages.renderer import rendered
from publisher.rendering.snapshot.snapshot import Snapshot
from publisher.rendering.visible_text import plain
from tests.factories import SampleBatch, Scenario, make_batch, write_snapshot
from tests.factories.released import Change, write_released
from tests.unit.publisher.rendering.html_page import HtmlPage
from tests.unit.publisher.rendering.marked import MARKS, marked_batch


def words(page: HtmlPage) -> str:
    return " ".join(page.text.split())


def of(snapshot: Path, batch_id: str) -> Matchups:
    return matchups_of(next(batch for batch in Snapshot(snapshot).batches if batch.report.batch_id == batch_id))


def made(snapshot: Path) -> Mapping[str, HtmlPage]:
    """The pages of both families, and of no other."""
    source = SiteSource(snapshot=Snapshot(snapshot))
    made = (one for family in (comparison_pages, beside_pages) for one in family(source))
    pages = (one for one in made if isinstance(one, Page))
    files = (file for page in pages for file in rendered(page, source))
    return {file.name: HtmlPage(file.data.decode()) for file in files}


def by_model(planned: PlannedRun) -> Scenario:
    """`model-1` passes all; `model-2` fails the second case, and its third run is invalid."""
    if planned.model_key == "model-2" and planned.case_id == "case-1":
        return "fail"
    return "invalid" if planned.model_key == "model-2" and planned.case_id == "case-2" else "pass"


def two_models(cases: int = 12, repeats: int = 1, text: str = "") -> SampleBatch:
    return make_batch(
        "batch-1",
        case_ids=[f"case-{number}" for number in range(cases)],
        model_keys=("model-1", "model-2"),
        repeats=repeats,
        scenario=by_model,
        text=text,
    )


def test_few_models_are_compared_each_with_each_and_many_with_their_neighbours(tmp_path: Path) -> None:
    for count, pairs in ((2, 1), (ALL_PAIRS, ALL_PAIRS * (ALL_PAIRS - 1) // 2), (ALL_PAIRS + 1, ALL_PAIRS)):
        keys = [f"model-{number}" for number in range(count)]
        batch = make_batch("batch-1", case_ids=("fund-nav",), model_keys=keys)
        found = of(write_snapshot(tmp_path / str(count), [batch]), "batch-1")
        assert len(found.models) == pairs
        assert found.neighbours_only is (count > ALL_PAIRS)
        assert len({matchup.page for matchup in found.all}) == len(found.all)


def test_the_counts_of_a_contrast_are_those_of_the_report(finance_snapshot: Path) -> None:
    for batch_id in ("strategies", "delivery"):
        found = of(finance_snapshot, batch_id)
        assert len(found.contrasts) == len(found.batch.report.contrasts)
        for matchup in found.contrasts:
            view = compare_view(matchup)
            assert view.measured.measures in found.batch.report.contrasts
            told, tally = view.measured.measures, view.tally
            assert (told.pairs, told.only_treatment, told.only_baseline) == (tally.pairs, tally.won, tally.lost)
            assert (told.both_passed, told.neither) == (tally.both, tally.neither)


def test_models_are_measured_over_pairs_that_are_valid_on_both_sides(tmp_path: Path) -> None:
    (matchup,) = of(write_snapshot(tmp_path, [two_models()]), "batch-1").models
    view = compare_view(matchup)
    assert (matchup.right.model.key, matchup.left.model.key) == ("model-1", "model-2")
    variants = len(matchup.right.variants)
    assert (view.tally.planned, view.tally.pairs, view.tally.apart) == (12 * variants, 11 * variants, variants)
    assert (view.tally.won, view.tally.lost, view.tally.both) == (variants, 0, 10 * variants)
    assert (view.count("won"), view.count("tied"), view.count("apart")) == (1, 10, 1)
    told = view.measured.measures
    assert (told.pairs, told.only_treatment, told.only_baseline) == (view.tally.pairs, view.tally.won, view.tally.lost)


def test_a_difference_of_models_is_significant_only_where_the_order_of_models_says_so(snapshot: Path) -> None:
    found = of(snapshot, "batch-1")
    statistics = found.batch.report.statistics
    assert statistics is not None
    ranking = next(one for one in statistics.rankings if one.of == "models")
    better = {(entry.id, other) for entry in ranking.entries for other in entry.better_than}
    assert better
    for matchup in found.models:
        told = measured(matchup).statistics
        assert told is not None
        pair = (matchup.right.model.key, matchup.left.model.key)
        assert told.significant is (pair in better or pair[::-1] in better)
        assert told.mcnemar_p_holm is told.permutation_p_holm is None


def test_too_few_cases_make_no_claim(tmp_path: Path) -> None:
    snapshot = write_snapshot(tmp_path, [two_models(cases=4, repeats=3)])
    (matchup,) = of(snapshot, "batch-1").models
    told = measured(matchup).statistics
    assert told is not None
    assert (told.significant, told.permutation_p) == (None, None)
    page = made(snapshot)["compare/batch-1/models.model-1.model-2.html"]
    assert "Says nothing of other cases: not enough evidence" in words(page)
    assert "ignificant:" not in words(page)


def test_relabelled_runs_give_the_measures_of_a_contrast(finance_snapshot: Path) -> None:
    """Models are measured by the function of contrasts: on the runs of a contrast it gives what the report has."""
    for matchup in of(finance_snapshot, "delivery").contrasts:
        assert matchup.contrast is not None
        runs = [run for pairing in matchup.pairings for run in (pairing.left, pairing.right) if run is not None]
        made_again = measure_contrast(matchup.contrast, model_key=matchup.left.model.key, runs=runs)
        assert made_again == measured(matchup).measures


def test_every_pair_of_a_comparison_leads_to_both_runs_side_by_side_and_on_to_the_next(snapshot: Path) -> None:
    pages = made(snapshot)
    for batch in Snapshot(snapshot).batches:
        found = matchups_of(batch)
        for matchup in found.all:
            links = {
                link
                for part in compare_parts(compare_view(matchup))
                for link in pages[part.name].links
                if "beside/" in link
            }
            whole = [p for p in matchup.pairings if p.left is not None and p.right is not None]
            assert links == {f"../../{beside_page(p.left.run_id, p.right.run_id)}" for p in whole if p.left and p.right}
        for (left, right), places in places_of(found.all).items():
            page = pages[beside_page(left, right)]
            assert {f"../runs/{left}.html", f"../runs/{right}.html"} <= set(page.links)
            for place, _ in places:
                assert f"../{place.matchup.page}" in page.links
                for neighbour in (place.previous, place.following):
                    if neighbour is not None and neighbour.left is not None and neighbour.right is not None:
                        assert f"../{beside_page(neighbour.left.run_id, neighbour.right.run_id)}" in page.links


def test_the_answers_are_marked_and_the_assertions_that_part_the_runs_stand_first(tmp_path: Path) -> None:
    shared = "What a fund was worth says nothing of what it will be worth."
    snapshot = write_snapshot(tmp_path, [two_models(text=shared)])
    (matchup,) = of(snapshot, "batch-1").models
    pairing = next(p for p in matchup.pairings if p.outcome == "won")
    assert pairing.left is not None
    assert pairing.right is not None
    page = made(snapshot)[beside_page(pairing.left.run_id, pairing.right.run_id)]
    assert {"del", "ins"} <= {tag for tag, _ in page.elements}
    assert "Came out differently" in page.text
    assert page.text.index("✗ fails") < page.text.index("came out the same")


def test_an_invalid_and_a_withdrawn_side_are_shown_as_what_they_are(tmp_path: Path) -> None:
    change = Change(withdrawn={"batch-1-0001": "Its fixture was wrong."})
    snapshot = write_released(tmp_path, [two_models()], change)
    pages = made(snapshot)
    gone = [name for name in pages if name.startswith("beside/") and "batch-1-0001." in name]
    assert gone
    for name in gone:
        assert "⊖ withdrawn" in words(pages[name])
        assert "Its fixture was wrong." in pages[name].text
        assert "the run was withdrawn, and nothing of it is shown." in words(pages[name])
    assert any("Invalid, and no score for the model" in words(page) for page in pages.values())


def test_what_is_withheld_reaches_no_page_of_a_comparison(tmp_path: Path) -> None:
    parts: tuple[Withheld, ...] = (
        "case",
        "context",
        "steps",
        "guardrail_checks",
        "result",
        "judgment",
        "output_checks",
        "gold",
    )
    held = marked_batch("batch-1", parts)
    source = SiteSource(snapshot=Snapshot(write_released(tmp_path, [held])))
    made = (one for family in (comparison_pages, beside_pages) for one in family(source))
    pages = [one for one in made if isinstance(one, Page)]
    data = {file.name: file.data.decode() for page in pages for file in rendered(page, source)}
    assert any(name.startswith("beside/") for name in data)
    for name, text in data.items():
        assert not [mark for part, mark in MARKS.items() if part in parts and mark in text], name
    assert any("is published as its digest alone." in text for text in data.values())


def test_hostile_texts_are_shown_and_add_nothing(hostile_pages: dict[str, HtmlPage], hostile_texts: list[str]) -> None:
    shown = {name: page for name, page in hostile_pages.items() if name.startswith(("beside/", "compare/"))}
    assert shown
    tags = {tag for page in shown.values() for tag, _ in page.elements}
    assert not tags & {"script", "iframe", "style", "object"}
    for number, text in enumerate(hostile_texts):
        own = [page for name, page in shown.items() if name.startswith(f"beside/batch-{number}-")]
        assert own
        assert any(plain(text.strip())[:40] in page.text for page in own)


def test_a_comparison_of_many_pairs_is_split(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{compare_parts.__module__}.PAIRS_A_PAGE", 12)
    cases = ("case-1", "case-2", "case-3")
    batch = make_batch("batch-1", case_ids=cases, model_keys=("model-1", "model-2"), repeats=5)
    snapshot = write_snapshot(tmp_path, [batch])
    (matchup,) = of(snapshot, "batch-1").models
    view = compare_view(matchup)
    parts = compare_parts(view)
    assert len(parts) > 1
    sizes = [sum(len(case.pairings) for _, cases in part.groups for case in cases) for part in parts]
    assert sum(sizes) == len(matchup.pairings)
    assert max(sizes) <= 12 < PAIRS_A_PAGE
    assert len({part.name for part in parts}) == len(parts)


def test_both_languages_tell_the_same(snapshot: Path) -> None:
    pages = made(snapshot)
    english = {name for name in pages if not name.startswith(CHINESE.folder)}
    assert {name.removeprefix(CHINESE.folder) for name in pages if name.startswith(CHINESE.folder)} == english
    for name in english:
        other = pages[CHINESE.folder + name]
        assert [tag for tag, _ in pages[name].elements] == [tag for tag, _ in other.elements], name
        assert pages[name].values("data", "value") == other.values("data", "value")
        kind = "list" if name.endswith("/index.html") else name.partition("/")[0]
        assert {"list": "配对数", "compare": "胜出", "beside": "并排"}[kind] in other.text, name


def test_stop_reasons_and_sections_are_said_in_the_language_of_the_page(tmp_path: Path) -> None:
    held = marked_batch("held", ("steps", "output_checks", "judgment"))
    pages = made(write_released(tmp_path, [two_models(cases=1), held]))
    told = {name: words(page) for name, page in pages.items() if "beside/" in name}
    open_chinese = next(text for name, text in told.items() if name.startswith("zh/beside/batch-1-"))
    assert "工具调用" in open_chinese
    assert "tool calls" not in open_chinese
    for name, text in told.items():
        if "beside/held-" in name:
            assert ("步骤、结果、断言、评判" in text) is name.startswith("zh/"), text[:600]
            assert "output checks" not in text
