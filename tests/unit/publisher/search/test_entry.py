from __future__ import annotations

import json

import pytest

from publisher.search.document import SearchDocument, UnsafePlaceError, Wording
from publisher.search.entry import INDEXED_CHARACTERS, MOST_COUNTED, make_entry


def _document(title: str = "A title", text: str = "", facts: tuple[str, ...] = ()) -> SearchDocument:
    return SearchDocument(kind="run", href="runs/a.html", wording=Wording(title=title, text=text, facts=facts))


@pytest.mark.parametrize(
    "href",
    ["javascript:x", "//elsewhere/x", "/x.html", "../x.html", "runs/../../x", "", "x y.html", "a#"],
)
def test_a_place_outside_the_site_is_refused(href: str) -> None:
    with pytest.raises(UnsafePlaceError) as caught:
        SearchDocument(kind="run", href=href, wording=Wording(title="", text=""))
    assert caught.value.code == "SITE-SEARCH-001"


def test_a_title_weighs_more_than_a_fact_and_a_fact_more_than_the_text() -> None:
    entry = make_entry(_document("one", "three", ("two",)))
    assert entry.counts["one"] > entry.counts["two"] > entry.counts["three"] == 1


def test_words_that_lead_to_a_page_count_and_are_not_shown() -> None:
    wording = Wording(title="Data", text="", words="export")
    entry = make_entry(SearchDocument(kind="page", href="a.html", wording=wording))
    assert entry.counts["export"] == entry.counts["~download"] == 2
    assert json.loads(entry.row) == ["a.html", "Data", "", [], {}]


def test_what_a_run_was_asked_touches_no_concept_and_what_it_is_told_by_does() -> None:
    assert "~cost" not in make_entry(_document(text="What does it cost?")).counts
    assert "~refusal" in make_entry(_document(facts=("tool call refused",))).counts


def test_a_text_that_repeats_a_word_without_end_weighs_no_more_than_can_be_written() -> None:
    assert make_entry(_document(text="a " * 5000)).counts["a"] == MOST_COUNTED


def test_only_the_beginning_of_a_very_long_text_is_indexed() -> None:
    entry = make_entry(_document(text="x" * INDEXED_CHARACTERS + " last"))
    assert "last" not in entry.counts


def test_the_row_names_unseen_characters_and_is_short() -> None:
    href, title, excerpt, facts, translated = json.loads(make_entry(_document("a\u202eb", "x\n\ny " * 9999)).row)
    assert (href, title, facts, translated) == ("runs/a.html", "a[U+202E]b", [], {})
    assert excerpt.startswith("x y x y")
    assert excerpt.endswith("…")
    assert len(excerpt) < 350


def test_every_wording_is_indexed_and_shown_in_its_own_language() -> None:
    wordings = {"zh": Wording(title="基金", text="净值")}
    document = SearchDocument(
        kind="case", href="cases/a.html", wording=Wording(title="Fund", text="value"), translations=wordings
    )
    entry = make_entry(document)
    assert {"fund", "value", "基金", "净值"} <= set(entry.counts)
    assert json.loads(entry.row) == ["cases/a.html", "Fund", "value", [], {"zh": ["基金", "净值", []]}]


def test_anything_in_a_document_changes_its_digest() -> None:
    texts = [
        ("A title", "x", ("f",)),
        ("A titl", "ex", ("f",)),
        ("A title", "x", ()),
        ("A title", "x" * 30_000, ("f",)),
    ]
    assert len({make_entry(_document(*each)).digest for each in texts}) == len(texts)
