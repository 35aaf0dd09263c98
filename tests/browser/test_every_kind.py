"""What every kind of page holds to, in both languages and both themes, with a script and without, by HTTP and from a
disk. In each run one page of each kind is looked at in one of the languages; `make test-slow` looks at all pages of the
site, in both."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from publisher.rendering.language.language import LANGUAGES, Language
from tests.browser.kinds import KINDS
from tests.browser.outline import difference, kept_outline, outline_of
from tests.browser.page_faults import Theme, axe_faults, page_faults
from tests.browser.visit import Visit
from tests.browser.whole_site import BuiltSite, KindPages, ServedSite, Sites, write_crowded
from tests.factories.page_kinds import pages_by_family, templates_of_pages

pytestmark = pytest.mark.browser
Look = Callable[[ServedSite, str, Theme], Mapping[str, list[str]]]
IN_LANGUAGES = pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.code)
THEMES: Mapping[str, Theme] = {"en": "light", "zh": "dark"}
"""The theme in which pages of a language are looked at: of every kind, both are seen in the long proofs."""
IN_TURN = [
    pytest.param(kind, language, id=f"{kind}-{language.code}", marks=[pytest.mark.slow] if (at + place) % 2 else [])
    for at, kind in enumerate(KINDS)
    for place, language in enumerate(LANGUAGES)
]
"""Every kind in each language; each run looks at one of both, in turn."""
PARTS = 16
FURTHER = [(kind, name) for kind, looked in KINDS.items() for name in looked.names[1:]]
_USELESS = """() => [...document.querySelectorAll('button, [role="button"], select, main input')]
  .filter(one => one.checkVisibility() && !one.closest('form[action]')).map(one => one.outerHTML.slice(0, 120))"""
_WAITING = """() => [...document.querySelectorAll('[aria-busy="true"], progress')].map(one => one.outerHTML)
  .concat(/loading|please wait|加载中|请稍候/i.test(document.body.innerText) ? ['says that it is loading'] : [])"""


@pytest.fixture(scope="module")
def kinds(sites: Sites) -> KindPages:
    return sites.first_pages()


@pytest.fixture(scope="module")
def look(browser: Browser, sites: Sites) -> Iterator[Look]:
    """Opens a page of a site and tells what is wrong with it. All pages are opened in one window."""
    with ExitStack() as stack:
        visits = {site.served: stack.enter_context(Visit(browser, site.root(""))) for site in sites.each}

        def faults_of(site: ServedSite, name: str, theme: Theme) -> Mapping[str, list[str]]:
            visit = visits[site.served]
            visit.faults.clear()
            found = page_faults(visit.open(name, "load"), theme)
            return {**found, "browser": visit.faults} if visit.faults else found

        yield faults_of


def test_every_kind_of_page_is_looked_at(sites: Sites, whole: BuiltSite) -> None:
    small, large = whole.kinds, sites.crowded.kinds
    assert templates_of_pages() == set(small) | set(large) | {"preview"} == set(KINDS)
    for kind, looked in KINDS.items():
        if looked.site == "previewed":
            assert [name for name in looked.names if not (sites.previewed.directory / name).is_file()] == []
        else:
            assert set(looked.names) <= set(small.get(kind, ())), kind
            assert (looked.site == "crowded") is (kind not in small)
    silent = [getattr(family, "name", family) for family, made in pages_by_family(whole.snapshot) if not made]
    assert silent == ["row-pairs", "cards"]  # boards of several batches, and pictures, are looked at elsewhere


@pytest.mark.parametrize(("kind", "language"), IN_TURN)
def test_a_page_is_there_for_every_reader(kinds: KindPages, look: Look, kind: str, language: Language) -> None:
    site, name = kinds[kind]
    assert look(site, language.folder + name, THEMES[language.code]) == {}


@pytest.mark.parametrize(("kind", "name"), FURTHER)
def test_further_pages_of_a_kind_are_too(kinds: KindPages, look: Look, kind: str, name: str) -> None:
    assert look(kinds[kind][0], name, "dark") == {}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@IN_LANGUAGES
def test_a_page_is_in_the_other_theme_too(kinds: KindPages, look: Look, kind: str, language: Language) -> None:
    site, name = kinds[kind]
    assert look(site, language.folder + name, "light" if THEMES[language.code] == "dark" else "dark") == {}


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("part", range(PARTS))
@IN_LANGUAGES
def test_every_page_is(whole: BuiltSite, look: Look, part: int, language: Language) -> None:
    names = sorted(name for names in whole.kinds.values() for name in names)[part::PARTS]
    found = {name: look(whole, language.folder + name, THEMES[language.code]) for name in names}
    assert {name: faults for name, faults in found.items() if faults} == {}


@pytest.mark.slow
@pytest.mark.timeout(1800)
@IN_LANGUAGES
def test_every_page_of_a_preview_is(sites: Sites, look: Look, language: Language) -> None:
    folder = sites.previewed.directory / language.folder
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.html"))
    pages = [name for name in names if language.folder or not name.startswith("zh/")]
    assert len(pages) > 30
    found = {name: look(sites.previewed, language.folder + name, THEMES[language.code]) for name in pages}
    assert {name: faults for name, faults in found.items() if faults} == {}


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_a_release_of_10_000_runs_is_there_for_every_reader(browser: Browser, tmp_path: Path) -> None:
    site = BuiltSite.build(tmp_path, partial(write_crowded, models=200, cases=25))
    looked_at = {kind: names[0] for kind, names in site.kinds.items()}
    assert {"board_categories", "board_plots", "batch_part", "run"} <= set(looked_at)
    with Visit(browser, site.root("")) as visit:
        found = {kind: page_faults(visit.open(name, "load"), "light") for kind, name in looked_at.items()}
        assert {kind: faults for kind, faults in found.items() if faults} == {}
        assert visit.faults == []


@pytest.mark.parametrize("scheme", ["http", "file"])
@IN_LANGUAGES
def test_every_kind_is_complete_without_a_script(
    browser: Browser, whole: BuiltSite, kinds: KindPages, origin: str, scheme: str, language: Language
) -> None:
    with Visit(browser, "", java_script_enabled=False) as visit:
        for kind, (site, name) in kinds.items():
            visit.root = site.root(origin if scheme == "http" and site is whole else "")
            page = visit.open(language.folder + name, "load")
            assert page.locator("h1:visible").count() == 1, kind
            assert page.evaluate(_WAITING) == [], kind
            assert page.evaluate(_USELESS) == [], kind
        assert visit.faults == []


def test_paper_takes_the_colours_of_the_light_theme(browser: Browser, whole: BuiltSite) -> None:
    for name in ("index.html", "batches/batch-1.html", "runs/batch-1-0001.html"):
        with Visit(browser, whole.root(""), color_scheme="dark") as visit:
            page = visit.open(name, "load")
            page.emulate_media(media="print")
            assert list(axe_faults(page, rules=("color-contrast",))) == []


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_has_the_outline_that_was_kept(browser: Browser, kinds: KindPages, kind: str) -> None:
    site, name = kinds[kind]
    with Visit(browser, site.root("")) as visit:
        for language in LANGUAGES:
            found = list(outline_of(visit.open(language.folder + name, "load")))
            assert difference(kept_outline(kind, language), found) == ""
