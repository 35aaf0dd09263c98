"""What the search finds of the committed snapshot: which pages, and what it shows of them."""

from __future__ import annotations

import re
from itertools import groupby
from pathlib import Path

import pytest

from publisher.rendering.language.language import LANGUAGES
from publisher.rendering.page_names import METRICS
from publisher.rendering.pages.interface import Page, SiteSource
from publisher.rendering.pages.row_pairs import row_pair_pages
from publisher.rendering.search.documents import search_documents
from publisher.rendering.search.texts import LONE_PAGES, lone_pages
from publisher.rendering.site.files import site_files
from publisher.rendering.snapshot.snapshot import Snapshot
from publisher.search.document import KINDS, SearchDocument, Wording
from tests.factories import make_batch
from tests.factories.logged import write_logged_snapshot

ROOT = Path(__file__).parents[5]
MARKDOWN = re.compile(r"^#|\s##|\|-|\{#|</?[a-z]+>|\]\(")


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    folder = tmp_path_factory.mktemp("search") / "snapshot"
    write_logged_snapshot(folder, [make_batch("batch-1")])
    return Snapshot(folder)


@pytest.fixture(scope="module")
def documents(snapshot: Snapshot) -> list[SearchDocument]:
    return list(search_documents(SiteSource(snapshot=snapshot)))


def wordings(document: SearchDocument) -> list[Wording]:
    return [document.wording, *document.translations.values()]


def test_there_is_a_document_of_every_kind_and_each_leads_to_a_page_of_its_own(
    documents: list[SearchDocument], snapshot: Snapshot
) -> None:
    made = {file.name for file in site_files(snapshot) if b"".join(file.chunks())}
    assert {document.kind for document in documents} >= set(KINDS) - {"tool", "comparison"}
    places = [document.href for document in documents]
    assert len(places) == len(set(places))
    assert {place.split("#")[0] for place in places} <= made


def test_rows_of_a_board_are_found_side_by_side_whichever_batches_they_come_from(tmp_path: Path) -> None:
    batches = [make_batch(f"batch-{number}", model_keys=(f"model-{number}",)) for number in (1, 2)]
    write_logged_snapshot(tmp_path / "snapshot", batches)
    found = [
        one for one in search_documents(SiteSource(snapshot=Snapshot(tmp_path / "snapshot"))) if "/pairs/" in one.href
    ]
    assert [one.kind for one in found] == ["comparison"]
    assert {"model-1", "model-2"} <= set(found[0].wording.words.split(" ; "))
    made = row_pair_pages(SiteSource(snapshot=Snapshot(tmp_path / "snapshot")))
    assert found[0].href in {page.name for page in made if isinstance(page, Page)}


def test_documents_stand_kind_after_kind_and_a_kind_without_any_is_left_out(documents: list[SearchDocument]) -> None:
    kinds = [kind for kind, _ in groupby(document.kind for document in documents)]
    assert kinds == [kind for kind in KINDS if kind in kinds]
    assert "tool" not in kinds


def test_pages_are_found_by_what_readers_see_of_them_not_by_markdown(documents: list[SearchDocument]) -> None:
    shown = [
        text for one in documents if one.kind == "page" for each in wordings(one) for text in (each.title, each.text)
    ]
    assert len(shown) > 40
    assert [text[:80] for text in shown if MARKDOWN.search(text)] == []


def test_every_section_of_the_prose_is_found_in_every_language() -> None:
    sections = [document for document in lone_pages(preview=False) if document.href.startswith("architecture.html#")]
    assert len(sections) > 6
    assert {len(wordings(document)) for document in sections} == {len(LANGUAGES)}


def test_a_page_says_of_itself_what_its_template_says() -> None:
    templates = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / "site_templates").glob("*.html")}
    said = {page.name: templates["leaderboard.html" if page.name == "index.html" else page.name] for page in LONE_PAGES}
    assert [
        (page.name, text)
        for page in LONE_PAGES
        for text in (page.title, *page.told)
        if text not in re.sub(r"\s+", " ", said[page.name])
    ] == []


def test_every_measure_of_the_page_of_metrics_is_found(documents: list[SearchDocument]) -> None:
    found = {document.href for document in documents if document.kind == "measure"}
    assert f"{METRICS}#latency-p95" in found
    assert f"{METRICS}#cost-per-100" in found
