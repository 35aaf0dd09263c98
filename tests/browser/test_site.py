"""What holds across pages in a real browser: the policy, hostile text, and the ways from a number to its evidence."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.browser.visit import PAGES, Visit

pytestmark = pytest.mark.browser
StartVisit = Callable[..., Visit]


@pytest.mark.parametrize("scheme", ["http", "file"])
def test_the_stylesheet_and_the_icon_load_under_the_policy(visit: StartVisit, scheme: str) -> None:
    with visit(scheme) as site:
        page = site.open(PAGES["passed run"])
        assert page.evaluate("getComputedStyle(document.querySelector('.timeline')).listStyleType") == "none"
        assert page.evaluate("document.querySelector('.brand img').naturalWidth") > 0


def test_the_policy_stops_a_script_that_escaping_had_missed(visit: StartVisit) -> None:
    with visit() as site:
        page = site.open(PAGES["leaderboard"])
        page.evaluate("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"document.title=`owned`\">')")
        page.evaluate(
            "document.body.append(Object.assign(document.createElement('script'), {text: 'document.title=`owned`'}))"
        )
        page.wait_for_function("window.__violations.length >= 1")
        assert page.title() != "owned"


def test_hostile_text_is_shown_and_never_run(visit: StartVisit) -> None:
    with visit() as site:
        page = site.open("batches/batch-3.html")
        assert (
            page.locator("h3 bdi")
            .first.inner_text()
            .endswith("<script>document.title='owned'</script>[U+202E][NUL]\"'><img src=x onerror=x>")
        )
        assert page.title() == "Batch batch-3 · Glassbench"
        for run in range(1, 7):
            assert site.open(f"runs/batch-3-000{run}.html").title() != "owned"
        assert site.faults == []


def test_a_number_leads_to_its_run_in_three_clicks(visit: StartVisit) -> None:
    with visit("file", java_script_enabled=False) as site:
        page = site.open(PAGES["leaderboard"])
        page.locator("main td a[href*='batches/']").first.click()
        page.locator("#matrix a.cell").first.click()
        assert "/runs/" in page.url
        # a run whose context didn't fit has no step, and says so
        assert page.locator("#timeline li, #timeline .empty").count() > 0
        assert site.faults == []


def test_a_run_leads_to_the_same_case_in_other_arms_and_back(visit: StartVisit) -> None:
    with visit("file", java_script_enabled=False) as site:
        page = site.open(PAGES["run that names sources and leaves out"])
        start, case = page.url, page.locator(".lead a").first.inner_text()
        links = page.locator(".same-case .arm-links").first.locator("li > a")
        assert links.count() == 3
        links.first.click()
        assert page.url != start
        assert page.locator(".lead a").first.inner_text() == case
        page.locator(".same-case .arm-links").first.locator("a", has_text="en-budgeted-5k").click()
        assert page.url == start
        page.locator('.same-case a[href*="#contrast-budgeted"]').first.click()
        assert page.locator("#contrast-budgeted").is_visible()
        assert site.faults == []


def test_what_a_model_did_not_read_is_struck_and_can_be_opened_without_a_script(visit: StartVisit) -> None:
    with visit("file", java_script_enabled=False) as site:
        page = site.open(PAGES["run that names sources and leaves out"])
        left_out = page.locator(".items > li.omitted").first
        assert "line-through" in left_out.locator("s").evaluate("e => getComputedStyle(e).textDecorationLine")
        assert not left_out.locator(".text").is_visible()
        left_out.locator("summary").click()
        assert left_out.locator(".text").is_visible()
        assert left_out.locator(".decision").inner_text() == "omitted"
        assert site.faults == []
