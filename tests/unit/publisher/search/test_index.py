from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from publisher.rendering.language.language import CHINESE
from publisher.search.document import KINDS, Kind, SearchDocument, Wording
from publisher.search.index import SHARD_BYTES, search_files
from publisher.search.postings import KIND_WEIGHTS, PART, IndexFullError
from publisher.search.terms import term_counts
from tests.unit.publisher.search.index_reading import contents, postings

ROOT = Path(__file__).parents[4]
_PRINT_DIGEST = """
import hashlib
from tests.unit.publisher.search.test_index import many
from publisher.search.index import search_files
print(hashlib.sha256(b"".join(f.name.encode() + f.data for f in search_files(many(300)))).hexdigest())
"""


def _document(title: str, text: str = "", kind: Kind = "run", name: str = "a") -> SearchDocument:
    return SearchDocument(kind=kind, href=f"{kind}s/{name}.html", wording=Wording(title=title, text=text))


def many(count: int) -> Iterator[SearchDocument]:
    for number in range(count):
        text = f"common word{number % 97} 基金{chr(0x4E00 + number % 500)} batch-{number // 50:04d}-{number:05d}"
        yield _document(f"Run {number}", text, KINDS[number * len(KINDS) // count], str(number))


def test_the_same_documents_give_the_same_bytes_whatever_the_order_of_sets() -> None:
    digests = {
        subprocess.run(
            [sys.executable, "-c", _PRINT_DIGEST],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed, "LC_ALL": "C"},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "4711")
    }
    assert len(digests) == 1


def test_every_term_leads_to_every_document_that_has_it_in_order() -> None:
    documents = list(many(700))
    found = postings(contents(search_files(documents)))
    wanted: dict[str, list[int]] = {}
    for number, document in enumerate(documents):
        for term in term_counts(f"{document.wording.title} ; {document.wording.text}"):
            wanted.setdefault(term, []).append(number)
    assert {term: [number for number, _ in places] for term, places in found.items()} == wanted


def test_nothing_stands_in_the_index_but_what_the_documents_say() -> None:
    """A page that withholds a text gives a document without it: nothing else is ever read."""
    public = _document("Case of the harbour", "what everyone may read")
    files = list(search_files([public]))
    found = contents(files)
    assert set(postings(found)) == {"case", "of", "the", "harbour", "what", "everyone", "may", "read"}
    assert found["documents/0"] == [["runs/a.html", "Case of the harbour", "what everyone may read", [], {}]]
    assert set(found) == {"documents/0", "terms/0", "manifest"}


def test_a_term_of_very_many_documents_goes_on_in_the_next_file_and_no_file_grows() -> None:
    count = 3 * PART + 7
    files = list(search_files(_document("x", "everywhere", name=str(n)) for n in range(count)))
    found = contents(files)
    assert [number for number, _ in postings(found)["everywhere"]] == list(range(count))
    assert max(len(file.data) for file in files) <= SHARD_BYTES


def test_more_documents_than_the_index_counts_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("publisher.search.postings.MOST_DOCUMENTS", 3)
    assert len(list(search_files(many(3)))) == 3
    with pytest.raises(IndexFullError) as caught:
        list(search_files(many(4)))
    assert caught.value.code == "SITE-SEARCH-002"


def test_files_are_bounded_and_the_manifest_says_where_each_begins() -> None:
    files = list(search_files(many(3000)))
    found = contents(files)
    manifest = found["manifest"]
    assert max(len(file.data) for file in files if file.name != "search/manifest.js") <= SHARD_BYTES
    assert len(manifest["terms"]) > 2
    assert manifest["terms"] == [found[f"terms/{number}"][0] for number in range(len(manifest["terms"]))]
    rows = [len(found[f"documents/{number}"]) for number in range(len(manifest["blocks"]))]
    assert manifest["blocks"] == [sum(rows[:number]) for number in range(len(rows))]
    assert sum(rows) == sum(count for _, count in manifest["kinds"]) == manifest["documents"] == 3000
    assert [kind for kind, _ in manifest["kinds"]] == list(KINDS)


def test_a_kind_without_documents_stands_nowhere_in_the_manifest() -> None:
    documents = [_document("x", kind="model", name="x"), *(_document("y", name=str(number)) for number in range(3))]
    assert contents(search_files(documents))["manifest"]["kinds"] == [["model", 1], ["run", 3]]


def test_terms_stand_in_the_order_in_which_a_browser_compares_them() -> None:
    found = contents(search_files([_document("ﷲ \U00020000\U00020001 ab 基金 ꯀ \U0001e900")]))
    terms = found["terms/0"][::2]
    assert terms == sorted(terms, key=lambda term: term.encode("utf-16-be"))
    assert terms != sorted(terms)


def test_a_title_weighs_more_and_a_long_text_less() -> None:
    documents = [_document("fund"), _document("x", "fund y"), _document("x", "fund " + "z " * 400)]
    weights = [weight for _, weight in postings(contents(search_files(documents)))["fund"]]
    assert weights == sorted(weights, reverse=True)
    assert len(set(weights)) == 3


def test_the_page_of_a_thing_weighs_more_than_a_run_with_the_same_words() -> None:
    documents = [_document("fund", kind=kind) for kind in KINDS]
    weights = [weight for _, weight in postings(contents(search_files(documents)))["fund"]]
    assert all(
        weight > weights[KINDS.index("run")] for kind, weight in zip(KINDS, weights, strict=True) if kind != "run"
    )
    assert set(KIND_WEIGHTS) == set(KINDS)


def test_any_change_is_another_version() -> None:
    one, other = (list(search_files([_document("x", text)]))[-1].data for text in ("a", "b"))
    assert one.split(b'"')[1] != other.split(b'"')[1]


def test_a_site_with_nothing_to_find_has_a_manifest() -> None:
    found = contents(search_files([]))
    assert set(found) == {"manifest"}
    assert found["manifest"]["documents"] == 0


def test_the_page_offers_every_kind_in_order() -> None:
    page = (ROOT / "site_templates/search.html").read_text(encoding="utf-8")
    assert re.findall(r'^  \("([a-z]+)", ', page, re.MULTILINE) == list(KINDS)


def test_a_kind_is_called_the_same_as_a_filter_and_beside_a_result() -> None:
    page = (ROOT / "site_templates/search.html").read_text(encoding="utf-8")
    named = re.findall(r'^  \("[a-z]+", _\("([^"]+)"\), _\("([^"]+)"\)\),$', page, re.MULTILINE)
    assert len(named) == len(KINDS)
    assert [(many, one) for many, one in named if CHINESE.translated(many) != CHINESE.translated(one)] == []


def test_the_script_writes_no_html() -> None:
    script = (ROOT / "site_templates/search.js").read_text(encoding="utf-8")
    assert re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|Function\(", script) is None
    assert len(script.encode()) < 20_000
