"""Comparisons in a real browser: from a batch to two runs side by side, and on to the next pair."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.browser.visit import Visit

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]
StartVisit = Callable[..., Visit]

MODELS = "compare/batch-1/models.careful.careless.html"
KINDS = (
    "compare/batch-1/index.html",
    MODELS,
    "compare/delivery/contrast.delivery.careful.html",
    "batches/batch-1/careful.html",
    f"zh/{MODELS}",
    "zh/batches/delivery.html",
)
OPEN_ALL = "document.querySelectorAll('details').forEach(d => d.open = true)"


def opened(site: Visit) -> list[str]:
    """Every kind of page, with two pairs of runs: of models, and of arms of hostile text."""
    names = list(KINDS)
    for comparison in (MODELS, "compare/batch-3/models.careful.careless.html"):
        link = site.open(comparison).locator("a.pair").first.get_attribute("href") or ""
        name = link.removeprefix("../../")
        names += [name, f"zh/{name}"]
    return names


def test_a_batch_leads_to_two_runs_side_by_side_without_a_script(visit: StartVisit) -> None:
    with visit("file", java_script_enabled=False) as site:
        page = site.open("batches/batch-1.html")
        page.locator("#compared tbody a").first.click()
        assert page.locator("h1").inner_text().count("against") == 1
        page.locator(".standing.won a.pair").first.click()
        assert "/beside/" in page.url
        assert page.locator(".heads .verdict").all_inner_texts() == ["✗ fail", "✓ pass"]
        assert page.locator("#parted tbody tr").count() > 0
        first = page.url
        page.locator("a[rel=next]").first.click()
        assert page.url != first
        page.locator("a[rel=prev]").first.click()
        assert page.url == first
        page.locator(".heads .side a[href*='runs/']").first.click()
        assert "/runs/" in page.url
        assert site.faults == []


def test_the_other_language_of_a_pair_is_one_click_away(visit: StartVisit) -> None:
    with visit("file", java_script_enabled=False) as site:
        page = site.open(opened(site)[-2])
        page.locator(".tongues a").click()
        assert "/zh/beside/" in page.url
        assert page.locator("html").get_attribute("lang") == "zh-Hans"
        assert site.faults == []


def test_hostile_text_in_a_pair_is_shown_and_never_run(visit: StartVisit) -> None:
    with visit() as site:
        for name in opened(site)[-2:]:
            page = site.open(name)
            assert "<script>document.title='owned'</script>" in page.locator("main").inner_text()
            assert page.title() != "owned"
        assert site.faults == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_on_pages_that_compare(visit: StartVisit, theme: str) -> None:
    problems = []
    with visit(color_scheme=theme, bypass_csp=True, reduced_motion="reduce") as site:
        for name in opened(site):
            page = site.open(name)
            page.evaluate(OPEN_ALL)
            found: Any = Axe().run(page)
            problems += [
                (name, violation["id"], node["html"][:200])
                for violation in found.response["violations"]
                for node in violation["nodes"][:3]
            ]
    assert problems == []


@pytest.mark.parametrize("width", [320, 768])
def test_no_page_that_compares_is_wider_than_its_window(visit: StartVisit, width: int) -> None:
    with visit(viewport={"width": width, "height": 800}) as site:
        wide = {}
        for name in opened(site):
            page = site.open(name)
            page.evaluate(OPEN_ALL)
            wide[name] = page.evaluate("document.documentElement.scrollWidth")
    assert {name: found for name, found in wide.items() if found > width} == {}
