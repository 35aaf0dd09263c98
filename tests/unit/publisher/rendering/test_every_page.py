"""What holds for every page of a built site, of whatever kind and in either language."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote, urlsplit

from publisher.rendering.language.language import CHINESE, ENGLISH, LANGUAGES
from publisher.rendering.site.assets import BOARD_SCRIPT, SCRIPTS, SEARCH_SCRIPT, asset_name
from publisher.rendering.site.hosting import CONTENT_SECURITY_POLICY
from tests.factories.page_kinds import pages_by_kind, templates_of_pages
from tests.unit.publisher.rendering.html_page import HtmlPage

ELSEWHERE = {"board_categories", "board_pairs", "board_plots", "batch_part", "changes", "run_withdrawn", "preview"}
"""Kinds that only a crowded site has, one with replays or withdrawn runs, or a preview."""


def own_name(name: str) -> str:
    """A page's name below the root of its language."""
    return name.removeprefix(CHINESE.folder)


def test_every_link_leads_to_a_file_and_every_anchor_to_an_element(site: Path, pages: dict[str, HtmlPage]) -> None:
    ids = {name: set(page.ids) for name, page in pages.items()}
    broken = []
    for name, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            assert not parts.scheme, f"{name}: {link}"
            assert not parts.netloc, f"{name}: {link}"
            path = (site / name).parent / unquote(parts.path) if parts.path else site / name
            target = path.resolve().relative_to(site.resolve()).as_posix()
            if not path.is_file() or (parts.fragment and unquote(parts.fragment) not in ids[target]):
                broken.append((name, link))
    assert not broken


def test_the_site_has_every_page_of_every_kind_in_each_language(snapshot: Path, pages: dict[str, HtmlPage]) -> None:
    kinds = pages_by_kind(snapshot)
    assert set(kinds) == templates_of_pages() - ELSEWHERE
    names = [name for made in kinds.values() for name in made]
    assert set(pages) == {language.folder + name for name in names for language in LANGUAGES}


def test_a_page_leads_to_pages_of_its_own_language_but_for_the_switch(site: Path, pages: dict[str, HtmlPage]) -> None:
    for name, page in pages.items():
        own = name.startswith(CHINESE.folder)
        for tag, attributes in page.elements:
            link = urlsplit(attributes.get("href") or "")
            if tag != "a" or "hreflang" in attributes or not link.path.endswith(".html"):
                continue
            target = ((site / name).parent / link.path).resolve().relative_to(site.resolve()).as_posix()
            if not target.startswith("embed/"):
                assert target.startswith(CHINESE.folder) is own, f"{name}: {link.path}"


def test_every_page_stands_in_each_language_and_names_the_others(pages: dict[str, HtmlPage]) -> None:
    english = {name for name in pages if not name.startswith(CHINESE.folder)}
    assert {own_name(name) for name in pages if name.startswith(CHINESE.folder)} == english
    for name, page in pages.items():
        assert page.values("html", "lang") == [CHINESE.tag if name.startswith(CHINESE.folder) else ENGLISH.tag], name
        told = [
            attributes["hreflang"]
            for tag, attributes in page.elements
            if tag == "link" and attributes.get("rel") == "alternate" and "hreflang" in attributes
        ]
        assert told == [*(language.tag for language in LANGUAGES), "x-default"], name


def test_every_page_is_well_formed_under_a_strict_policy(
    pages: dict[str, HtmlPage], hostile_pages: dict[str, HtmlPage]
) -> None:
    known = {asset_name(script) for script in (*SCRIPTS, BOARD_SCRIPT, SEARCH_SCRIPT)}
    for name, page in [*pages.items(), *hostile_pages.items()]:
        assert not page.faults, name
        assert not page.unclosed, name
        assert len(page.ids) == len(set(page.ids)), name
        assert CONTENT_SECURITY_POLICY in page.values("meta", "content"), name
        assert [tag for tag, _ in page.elements].count("h1") == 1, name
        assert not {tag for tag, _ in page.elements} & {"style", "iframe", "base", "object"}, name
        scripts = {str(src).removeprefix("../" * name.count("/")) for src in page.values("script", "src")}
        assert scripts <= known, name
        data = [kind for kind in page.values("script", "type") if kind == "application/ld+json"]
        assert len(data) == (own_name(name) == "downloads.html"), name
        assert len(page.values("script", "src")) + len(data) == [tag for tag, _ in page.elements].count("script"), name
        assert not {a for _, a in page.shape if a == "style" or a.startswith("on")}, name


def test_hostile_text_adds_no_element_and_no_attribute(
    pages: dict[str, HtmlPage], hostile_pages: dict[str, HtmlPage]
) -> None:
    ours = set().union(*(page.shape for page in pages.values()))
    theirs = set().union(*(page.shape for page in hostile_pages.values()))
    assert theirs <= ours
