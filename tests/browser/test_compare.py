"""Comparisons in a real browser: from a batch to two runs side by side, and on to the next pair."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Browser

from tests.browser.visit import Visit
from tests.browser.whole_site import BuiltSite

pytestmark = pytest.mark.browser
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


def test_a_run_and_its_case_lead_to_two_runs_side_by_side_without_a_script(visit: StartVisit) -> None:
    with visit("file", java_script_enabled=False) as site:
        page = site.open("runs/batch-1-0001.html")
        page.get_by_role("navigation", name="Same case, other model").get_by_text("side by side").first.click()
        assert "/beside/" in page.url
        assert "batch-1-0001" in page.url
        page.locator(".lead a[href*='cases/']").click()
        page.locator(".compared a.pair").first.click()
        assert "/beside/" in page.url
        assert site.faults == []


def test_a_row_of_a_board_leads_to_its_comparison_with_the_best_and_on_to_a_run(
    browser: Browser, crowded: BuiltSite
) -> None:
    with Visit(browser, crowded.root(""), java_script_enabled=False) as site:
        page = site.open(crowded.kinds["board"][0])
        last = page.locator("table.board tbody tr").last
        last.locator("td:first-child a").click()
        assert "/pairs" in page.url
        page.locator("tr:target").get_by_text("against the best").click()
        assert "/pairs/" in page.url
        page.locator("a.pair").first.click()
        assert "/runs/" in page.url
        page.go_back()
        page.get_by_role("navigation", name="Breadcrumb").locator("a[href*='boards/']").first.click()
        assert page.locator("h2#pairs").count() == 1
        assert site.faults == []
