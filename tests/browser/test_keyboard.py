"""Journeys through the site by key alone, on which the focus is seen at every stop."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.browser.keys import Keys
from tests.browser.visit import Visit
from tests.browser.whole_site import BuiltSite

pytestmark = pytest.mark.browser
Begin = Callable[..., Keys]
REFUSED = "G3-AUTH-001"
_PLACES = """() => [...document.querySelectorAll('.top :is(a, input)')].map(one => {
  const place = one.getBoundingClientRect();
  return [Math.round(place.bottom / 12), Math.round(place.left)];
})"""


@pytest.fixture(params=[True, False], ids=["script", "no script"])
def begin(request: pytest.FixtureRequest, visit: Callable[..., Visit]) -> Iterator[Begin]:
    """Opens a page to begin at; at the end nothing must have gone wrong on the way."""
    visits = []

    def open_page(name: str, **context: object) -> Keys:
        visits.append(visit("file", java_script_enabled=request.param, reduced_motion="reduce", **context))
        return Keys(visits[-1].open(name, "load"))

    yield open_page
    for opened in visits:
        opened.__exit__(None, None, None)
        assert opened.faults == []


def test_the_first_stop_skips_to_the_content(begin: Begin) -> None:
    keys = begin("batches/batch-1.html")
    keys.page.keyboard.press("Tab")
    assert keys.page.evaluate("document.activeElement.textContent") == "Skip to content"
    assert keys.page.evaluate("document.activeElement.getBoundingClientRect().left") >= 0
    keys.page.keyboard.press("Enter")
    assert keys.page.evaluate("document.activeElement.id") == "main"
    keys.go_to("a")
    assert keys.page.evaluate("document.activeElement.closest('main') !== null")


@pytest.mark.parametrize("width", [320, 360, 768, 1440])
def test_the_head_is_walked_through_in_the_order_that_it_is_seen_in(begin: Begin, width: int) -> None:
    page = begin("metrics.html", viewport={"width": width, "height": 800}).page
    places = page.evaluate(_PLACES)
    assert len(places) == 11
    assert places[3:] == sorted(places[3:])
    assert places[0] < places[3]
    assert page.evaluate('document.querySelectorAll(\'[tabindex]:not([tabindex="0"], [tabindex="-1"])\').length') == 0


def test_the_main_ways_lead_to_their_pages_which_mark_them(begin: Begin) -> None:
    keys = begin("404.html")
    for name in ("models", "cases", "tools", "codes", "releases", "metrics", "architecture", "index"):
        assert keys.follow(f'.ways a[href="{name}.html"]') == f"{name}.html"
        assert keys.page.locator(".ways [aria-current=page]").get_attribute("href") == f"{name}.html"


@pytest.mark.parametrize("name", ["index.html", "batches/batch-1.html", "batches/batch-1/careful.html"])
def test_the_other_language_has_the_same_page_and_leads_back(begin: Begin, name: str) -> None:
    keys = begin(name)
    assert keys.follow(".tongues a") == f"zh/{name}"
    assert keys.page.evaluate("document.documentElement.lang").startswith("zh")
    assert keys.follow(".tongues a") == name


@pytest.mark.parametrize("folder", ["", "zh/"])
def test_from_the_leaderboard_to_the_evidence_of_a_refusal(begin: Begin, folder: str) -> None:
    keys = begin(f"{folder}index.html")
    board = keys.follow("main h2 a")
    assert board.startswith(f"{folder}boards/")
    keys.open("table.board td summary")
    keys.page.go_back()
    batch = keys.follow("table.board td a[href*='batches/']")
    assert batch.startswith(f"{folder}batches/")
    run = keys.follow("main a[href*='runs/']")
    assert run.startswith(f"{folder}runs/")


def test_from_a_run_to_its_step_its_code_and_another_run(begin: Begin, whole: BuiltSite) -> None:
    runs = sorted((whole.directory / "runs").glob("batch-1-*.html"))
    refused = next(run.name for run in runs if REFUSED in run.read_text(encoding="utf-8"))
    keys = begin(f"runs/{refused}")
    assert keys.follow("a.here[href='#step-1']").endswith("#step-1")
    keys.open(".tool.refused summary")
    assert keys.follow(f"a[href*='{REFUSED}']") == f"codes/{REFUSED}.html"
    assert keys.follow(f"main a[href*='runs/']:not([href*='{refused}'])").startswith("runs/")


def test_from_a_comparison_to_both_runs_side_by_side(begin: Begin) -> None:
    keys = begin("compare/batch-1/models.careful.careless.html")
    assert keys.follow("a.pair").startswith("beside/")
    assert keys.follow("main a[href*='runs/']").startswith("runs/")


def test_a_table_is_scrolled_in_its_region(begin: Begin) -> None:
    keys = begin("batches/batch-1.html", viewport={"width": 360, "height": 700})
    keys.go_to(".scroll")
    before = keys.page.evaluate("document.activeElement.scrollLeft")
    for _ in range(4):
        keys.page.keyboard.press("ArrowRight")
    keys.page.wait_for_function("before => document.activeElement.scrollLeft > before", arg=before)


def test_what_was_unfolded_is_folded_again(begin: Begin) -> None:
    keys = begin("runs/batch-1-0001.html")
    keys.open("main summary")
    keys.page.keyboard.press("Space")
    assert not keys.page.evaluate("document.activeElement.closest('details').open")


@pytest.mark.parametrize("begin", [True], indirect=True, ids=["script"])
def test_a_word_typed_in_the_head_is_searched_for(begin: Begin) -> None:
    keys = begin("batches/batch-1.html")
    keys.go_to(".finder input")
    keys.page.keyboard.type("careful")
    keys.page.keyboard.press("Enter")
    keys.page.wait_for_selector(".results > li")
    assert "search.html?q=careful" in keys.page.url
    keys.page.evaluate("document.activeElement.blur()")
    keys.page.keyboard.press("/")
    assert keys.page.evaluate("document.activeElement.id") == "search-query"
    keys.page.keyboard.press("ArrowDown")
    assert keys.follow(".results a").endswith(".html")
