"""Rows of a board in pairs: whichever batch they come from, by the rule of its ranks, and never too many pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from dataset.artifacts.definition import PlannedRun
from publisher.projection.report import Report
from publisher.rendering.boards.row_pairs import MOST_BESIDE, RowPairs, latest_release, row_pairs
from publisher.rendering.compare.matchup import ALL_PAIRS
from publisher.rendering.pages.beside import beside_pages
from publisher.rendering.pages.boards import board_pages
from publisher.rendering.pages.comparisons import comparison_pages
from publisher.rendering.pages.interface import Page, SiteSource
from publisher.rendering.pages.renderer import rendered
from publisher.rendering.pages.row_pairs import row_pair_pages
from publisher.rendering.snapshot.snapshot import Snapshot
from tests.factories import Scenario, make_batch, write_snapshot
from tests.factories.boards import BoardModel, make_report, many_models, share, site_source
from tests.unit.publisher.rendering.html_page import HtmlPage

FIRST = (BoardModel(key="alpha", passes=share(10)), BoardModel(key="beta", passes=share(5)))
SECOND = (BoardModel(key="gamma", passes=share(1)), BoardModel(key="beta", passes=share(6)))


def found(source: SiteSource) -> RowPairs:
    (board,) = source.boards
    return row_pairs(board, source.batches)


def of(directory: Path, *reports: Report) -> SiteSource:
    return site_source(directory, reports)


def text(page: HtmlPage) -> str:
    return " ".join(page.text.split())


def compared(source: SiteSource) -> dict[str, HtmlPage]:
    """The pages of pairs, in English."""
    pages = (page for page in row_pair_pages(source) if isinstance(page, Page))
    files = [next(iter(rendered(page, source))) for page in pages]
    return {file.name: HtmlPage(file.data.decode()) for file in files}


def test_models_that_never_stood_in_one_batch_are_compared(tmp_path: Path) -> None:
    source = of(tmp_path, make_report("batch-1", FIRST, cases=20), make_report("batch-2", SECOND, cases=20))
    pairs = found(source)
    assert pairs.every
    assert len(pairs.pairs) == pairs.possible == 6
    across = [pair for pair in pairs.pairs if pair.left.batch_id != pair.right.batch_id]
    assert {(pair.right.model.key, pair.left.model.key) for pair in across} == {
        ("alpha", "beta"),
        ("alpha", "gamma"),
        ("beta", "beta"),
        ("beta", "gamma"),
    }
    assert set(compared(source)) == {pair.page for pair in pairs.pairs}


def test_what_a_page_finds_is_what_the_ranks_say(tmp_path: Path) -> None:
    source = of(tmp_path, make_report("batch-1", FIRST, cases=20), make_report("batch-2", SECOND, cases=20))
    pages = compared(source)
    findings = {pair.page: pair.significant for pair in found(source).pairs}
    assert set(findings.values()) == {True, False}
    for page, significant in findings.items():
        assert ("Significant: more than chance." in text(pages[page])) is significant
        assert ("Not significant: chance alone may explain it." in text(pages[page])) is not significant
        assert "over all 6 pairs of its rows" in text(pages[page])


def test_the_pages_of_a_board_of_one_batch_are_those_of_its_batch(tmp_path: Path) -> None:
    source = of(tmp_path, make_report("batch-1", FIRST, cases=20))
    assert [pair.page for pair in found(source).pairs] == ["compare/batch-1/models.alpha.beta.html"]
    assert compared(source) == {}


def test_of_many_rows_each_stands_against_the_best_and_the_next_and_the_board_says_what_is_left_out(
    tmp_path: Path,
) -> None:
    models = many_models(ALL_PAIRS + 3)
    source = of(tmp_path, make_report("batch-1", models[:5]), make_report("batch-2", models[5:]))
    pairs, rows = found(source), source.boards[0].rows
    count = len(rows)
    assert len(pairs.pairs) == 2 * (count - 1) - 1
    best, last = pairs.links[rows[0].id], pairs.links[rows[-1].id]
    assert best.best is last.following is None
    for above, row in pairwise(rows):
        links = pairs.links[row.id]
        assert links.best is not None
        assert links.best.right.id == rows[0].id
        following = pairs.links[above.id].following
        assert following is not None
        assert following.left.id == row.id
    board = first_page(source)
    assert f"Of {pairs.possible} pairs {len(pairs.pairs)} have a page" in text(board)
    assert {f"../{pair.page}" for pair in pairs.pairs} <= set(board.links)


def first_page(source: SiteSource) -> HtmlPage:
    page = next(page for page in board_pages(source) if isinstance(page, Page) and page.name.startswith("boards/"))
    return HtmlPage(next(iter(rendered(page, source))).data.decode())


def test_a_script_beside_models_is_not_the_best(tmp_path: Path) -> None:
    models = [replace(model, synthetic=False) for model in many_models(ALL_PAIRS + 1)]
    script = BoardModel(key="script", passes=share(10), synthetic=True)
    source = of(tmp_path, make_report("batch-1", models), make_report("batch-2", [script]))
    rows = source.boards[0].rows
    assert rows[0].model.key == "script"
    links = found(source).links
    assert {link.best.right.model.key for row in rows[2:] if (link := links[row.id]).best} == {rows[1].model.key}


def test_a_row_without_a_rate_is_in_no_pair(tmp_path: Path) -> None:
    broken = BoardModel(key="broken", passes=lambda planned: None)
    source = of(tmp_path, make_report("batch-1", FIRST), make_report("batch-2", [broken]))
    assert found(source).possible == 1


def test_a_board_of_two_hundred_models_stays_light(tmp_path: Path) -> None:
    models = many_models(200)
    variants = make_report("b", FIRST).variants[:1]
    reports = [
        make_report(f"batch-{start}", models[start : start + 20], variants=variants) for start in range(0, 200, 20)
    ]
    source = of(tmp_path, *reports)
    assert len(row_pair_pages.jobs(source)) == 397
    pages = [page for page in board_pages(source) if isinstance(page, Page) and page.name.startswith("boards/")]
    lists = [page for page in pages if page.name.endswith("/pairs.html")]
    for page in (pages[0], *lists):
        assert max(len(file.data) for file in rendered(page, source)) < 285_000
    (listed,) = [HtmlPage(next(iter(rendered(page, source))).data.decode()) for page in lists]
    assert {f"../../{pair.page}" for pair in found(source).pairs} <= set(listed.links)
    board = HtmlPage(next(iter(rendered(pages[0], source))).data.decode())
    ranks = [link.partition("#")[2] for link in board.links if "/pairs.html#" in link]
    assert ranks == [str(number) for number in range(1, 201)]
    assert set(ranks) <= set(listed.ids)


def worse(planned: PlannedRun) -> Scenario:
    return "fail" if planned.model_key.startswith("worse") and planned.case_id != "case-0" else "pass"


@pytest.mark.parametrize("models", [("worse-1",), tuple(f"worse-{number}" for number in range(ALL_PAIRS))])
def test_runs_of_different_batches_stand_side_by_side_all_of_few_rows_and_some_of_many(
    models: Sequence[str], tmp_path: Path
) -> None:
    cases = [f"case-{number}" for number in range(12)]
    batches = [
        make_batch(name, case_ids=cases, model_keys=keys, scenario=worse)
        for name, keys in (("batch-1", ("good",)), ("batch-2", models))
    ]
    source = SiteSource(snapshot=Snapshot(write_snapshot(tmp_path, batches)))
    families = (comparison_pages, row_pair_pages, beside_pages)
    pages = [page for family in families for page in family(source) if isinstance(page, Page)]
    names = {page.name for page in pages}
    assert len(names) == len(pages)
    across = [page for page in pages if page.name.startswith("beside/batch-2-") and ".batch-1-" in page.name]
    planned = len(cases) * 2 * len(models)
    assert len(across) == (planned if len(models) == 1 else MOST_BESIDE * len(models))
    first = HtmlPage(next(iter(rendered(across[0], source))).data.decode())
    assert any(link.startswith("../boards/") and "/pairs/" in link for link in first.links)
    for name, page in compared(source).items():
        beside = {link.removeprefix("../../../") for link in page.links if "beside/" in link}
        assert beside <= names, name
        assert ("each verdict leads to its own run" in text(page)) is (len(models) > 1 and "good" in name)


def test_what_differs_between_the_batches_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = of(tmp_path, make_report("batch-1", FIRST), make_report("batch-2", SECOND))
    alike = compared(source)
    assert not any("Not the same in both batches" in page.text for page in alike.values())
    monkeypatch.setattr(
        "publisher.rendering.boards.row_pairs.foundations", lambda definition: {"prompts": id(definition), "limits": 1}
    )
    across = [pair.page for pair in found(source).pairs if pair.left.batch_id != pair.right.batch_id]
    told = compared(source)
    assert across
    assert all("Not the same in both batches: prompts." in text(told[page]) for page in across)


def test_a_release_that_leaves_the_board_alone_leaves_its_pairs_alone(tmp_path: Path) -> None:
    own = (make_report("batch-1", FIRST), make_report("batch-2", SECOND))

    def keys(folder: str, *further: Report) -> list[str]:
        source = of(tmp_path / folder, *own, *further)
        board = next(board for board in source.boards if "batch-1" in board.batches)
        assert latest_release(board, source.batches) == 2
        jobs = [job for job in row_pair_pages.jobs(source) if job.board == board]
        return [row_pair_pages.key(source, job) for job in jobs]

    assert keys("before") == keys("after", make_report("batch-3", FIRST, cases=11))
