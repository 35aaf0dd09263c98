"""A board keeps its page when all of its batches are withdrawn: nobody who stood there vanishes."""

from __future__ import annotations

from pathlib import Path

from publisher.rendering.boards.board import withdrawn_boards
from publisher.rendering.page_names import board_page
from publisher.rendering.pages.boards import board_pages
from publisher.rendering.pages.interface import Page, SiteSource
from publisher.rendering.pages.renderer import rendered
from tests.factories.boards import BoardModel, make_report, share, site_source
from tests.unit.publisher.rendering.html_page import HtmlPage

MODELS = (BoardModel(key="alpha", passes=share(9)), BoardModel(key="beta", passes=share(4)))


def pages_of(source: SiteSource) -> dict[str, HtmlPage]:
    pages = (page for page in board_pages(source) if isinstance(page, Page))
    return {file.name: HtmlPage(file.data.decode()) for page in pages for file in rendered(page, source)}


def test_it_has_the_page_that_it_had_with_every_model_the_reason_and_the_release(tmp_path: Path) -> None:
    before = site_source(tmp_path / "before", [make_report("batch-1", MODELS)])
    after = site_source(tmp_path / "after", [make_report("batch-1", MODELS, withdrawn=lambda planned: True)])
    assert after.boards == ()
    (board,) = withdrawn_boards(after.snapshot.batches)
    assert board.slug == before.boards[0].slug
    page = pages_of(after)[board_page(board.slug)]
    text = " ".join(page.text.split())
    assert "The one batch of this board was withdrawn." in text
    for model in ("Model alpha", "Model beta"):
        assert model in text
    assert "a fault of ours" in text
    assert "../releases/9.html" in page.links
    assert "../batches/batch-1.html" in page.links
    assert not page.values("data", "value")
    assert not page.faults + page.unclosed


def test_the_front_page_leads_to_it_beside_boards_that_count(tmp_path: Path) -> None:
    reports = [make_report("batch-1", MODELS), make_report("batch-2", MODELS, cases=11, withdrawn=lambda planned: True)]
    source = site_source(tmp_path, reports)
    (board,) = withdrawn_boards(source.snapshot.batches)
    pages = pages_of(source)
    assert board_page(board.slug) in pages["index.html"].links
    assert pages[f"zh/{board_page(board.slug)}"].text.count("均已撤回") == 1


def test_a_board_of_which_one_batch_still_counts_is_not_withdrawn(tmp_path: Path) -> None:
    reports = [make_report("batch-1", MODELS), make_report("batch-2", MODELS, withdrawn=lambda planned: True)]
    assert withdrawn_boards(site_source(tmp_path, reports).snapshot.batches) == ()
