"""Every family of pages, in the order in which a site is written."""

from __future__ import annotations

from collections.abc import Sequence

from publisher.rendering.pages.batches import batch_pages
from publisher.rendering.pages.beside import beside_pages
from publisher.rendering.pages.boards import board_pages
from publisher.rendering.pages.cards import card_files
from publisher.rendering.pages.cases import case_pages
from publisher.rendering.pages.changes import changes_pages
from publisher.rendering.pages.codes import code_pages
from publisher.rendering.pages.comparisons import comparison_pages
from publisher.rendering.pages.interface import PageFamily
from publisher.rendering.pages.models import model_pages
from publisher.rendering.pages.releases import release_pages
from publisher.rendering.pages.row_pairs import row_pair_pages
from publisher.rendering.pages.runs import run_pages
from publisher.rendering.pages.search import search_pages
from publisher.rendering.pages.texts import text_pages
from publisher.rendering.pages.tools import tool_pages

FAMILIES: Sequence[PageFamily] = (
    board_pages,
    release_pages,
    text_pages,
    batch_pages,
    comparison_pages,
    row_pair_pages,
    beside_pages,
    changes_pages,
    case_pages,
    model_pages,
    run_pages,
    code_pages,
    tool_pages,
    search_pages,
    card_files,
)
