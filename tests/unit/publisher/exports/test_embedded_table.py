from __future__ import annotations

from publisher.rendering.visible_text import plain
from tests.unit.publisher.exports.exported import URL
from tests.unit.publisher.rendering.html_page import HtmlPage

ALLOWED = {"table", "caption", "thead", "tbody", "tr", "th", "td", "a", "bdi"}


def tables(site: dict[str, bytes]) -> dict[str, HtmlPage]:
    return {name: HtmlPage(data.decode()) for name, data in site.items() if name.startswith("embed/")}


def test_a_table_has_a_row_for_each_model_and_leads_to_the_evidence(changed_site: dict[str, bytes]) -> None:
    found = tables(changed_site)
    assert found
    links = [link for page in found.values() for link in page.links]
    assert f"{URL}batches/batch-1.html#model-careful" in links
    assert all(link.startswith(URL) for link in links)


def test_without_an_address_it_has_no_link(unlogged_site: dict[str, bytes]) -> None:
    for page in tables(unlogged_site).values():
        assert page.links == []
        assert "unknown" in page.text


def test_it_is_well_formed_and_holds_nothing_but_a_table(
    hostile_exports: dict[str, bytes], hostile_texts: list[str]
) -> None:
    found = tables(hostile_exports)
    assert len(found) == len(hostile_texts)
    for page in found.values():
        assert not page.faults
        assert not page.unclosed
        assert {tag for tag, _ in page.elements} <= ALLOWED
        assert {name for _, name in page.shape} <= {"", "scope", "href"}
        assert page.text == plain(page.text)


def test_every_hostile_name_is_shown_whole(hostile_exports: dict[str, bytes], hostile_texts: list[str]) -> None:
    shown = "\0".join(page.text for page in tables(hostile_exports).values())
    for text in hostile_texts:
        assert plain(f"Model careful {text}".strip()) in shown
