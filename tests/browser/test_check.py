"""The check of a run by its own page, in a real browser: what it shows, where it can't look, and who can use it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Route

from tests.browser.checked_site import HOSTILE, LAST, LINES, LOG_LINES, OWNER, RUN, WITHDRAWN, WITHHELD, CheckedSite
from tests.browser.panel import Panel
from tests.browser.tampering import with_changed_section
from tests.browser.visit import Visit

pytestmark = pytest.mark.browser


def test_a_run_that_nobody_touched_holds_in_every_line(site: Visit, panel: Panel) -> None:
    outcome = panel.check()
    assert outcome.of("holds") == LINES
    assert outcome.result == f"Run {RUN}: nothing differs."
    assert outcome.text("log entry") == "entry 0 is this run with this hash"
    assert outcome.text("latest log") == "its 15 entries begin with the 4 up to this run's release"
    assert "a key from beside this page, which proves nothing by itself" in outcome.text("signature")
    assert site.faults == []


def test_a_run_of_hostile_texts_holds_and_runs_nothing(site: Visit) -> None:
    for run_id in (HOSTILE, LAST):
        panel = Panel(site, run_id)
        assert len(panel.check().of("holds")) == len(LINES)
        assert panel.page.title() != "owned"
    assert site.faults == []


def test_what_is_withheld_is_told_as_withheld_and_the_hash_still_holds(site: Visit) -> None:
    panel = Panel(site, WITHHELD)
    outcome = panel.check()
    withheld = ["section steps", "section guardrail_checks", "section result"]
    assert outcome.of("withheld") == withheld
    assert outcome.failing == []
    assert {"artifact hash", *LOG_LINES} <= set(outcome.of("holds"))
    assert outcome.result == f"Run {WITHHELD}: nothing differs; {'; '.join(f'{name} withheld' for name in withheld)}."
    assert site.faults == []


def test_of_a_withdrawn_run_its_hash_is_found_in_the_log(site: Visit) -> None:
    outcome = Panel(site, WITHDRAWN).check()
    assert outcome.of("holds") == [f"runs/{WITHDRAWN}.json", "artifact hash", *LOG_LINES]
    assert outcome.of("withdrawn") == ["sections"]
    assert site.faults == []


def test_pressing_twice_checks_once(panel: Panel) -> None:
    panel.button.dblclick()
    assert len(panel.outcome().lines) == len(LINES)


def test_a_page_opened_as_a_file_checks_the_file_that_is_chosen(
    browser: Browser, checked: CheckedSite, tmp_path: Path
) -> None:
    built = checked.directory
    with Visit(browser, built.as_uri() + "/") as site:
        panel = Panel(site, RUN)
        assert not panel.button.is_visible()
        chooser = panel.page.get_by_label("The run’s file")
        chooser.set_input_files(built / f"runs/{RUN}.json")
        outcome = panel.outcome()
        assert outcome.of("holds") == LINES[:-3]
        assert outcome.of("not checked") == ["release log"]
        tampered = tmp_path / f"{RUN}.json"
        tampered.write_bytes(with_changed_section(checked.run(), "steps"))
        chooser.set_input_files(tampered)
        panel.page.locator(".check li", has_text="fails section steps").wait_for()
        assert panel.outcome().failing == ["section steps"]
        assert site.faults == []


def test_a_page_over_plain_http_says_why_it_cannot_check(browser: Browser, checked: CheckedSite) -> None:
    root = "http://glassbench.example/"
    built = checked.directory

    def answer(route: Route) -> None:
        route.fulfill(path=built / route.request.url.removeprefix(root))

    with Visit(browser, root) as site:
        site.page.route(f"{root}**", answer)
        page = site.open(f"runs/{RUN}.html")
        assert page.evaluate("window.isSecureContext") is False
        assert page.locator('[data-check="insecure"]').is_visible()
        assert not page.get_by_role("button", name="Check this run here").is_visible()
        assert page.get_by_text("glassbench verify DIR").is_visible()
        assert site.faults == []


@pytest.mark.parametrize("scheme", ["http", "file"])
def test_without_a_script_the_command_stands_there_and_no_dead_button(
    browser: Browser, checked: CheckedSite, address: str, scheme: str
) -> None:
    root = address if scheme == "http" else (checked.directory).as_uri() + "/"
    with Visit(browser, root, java_script_enabled=False) as site:
        page = site.open(f"runs/{RUN}.html")
        assert page.get_by_text("glassbench verify DIR").is_visible()
        assert page.locator(".check").get_by_role("button").count() == 0
        assert not page.locator("#check-key").is_visible()
        assert not page.locator("#check-file").is_visible()
        assert site.faults == []


def test_a_browser_without_ed25519_says_that_it_cannot_check_signatures(panel: Panel) -> None:
    panel.page.evaluate(
        "() => { crypto.subtle.importKey = async () => { throw new DOMException('no', 'NotSupportedError'); }; }"
    )
    outcome = panel.check()
    assert outcome.failing == []
    assert outcome.of("not checked") == ["signature"]
    assert outcome.text("signature") == "this browser has no Ed25519"


def test_the_check_can_be_made_with_the_keyboard_alone(panel: Panel) -> None:
    panel.page.locator("#check-key").focus()
    panel.page.keyboard.type(str(OWNER.verifier))
    panel.page.keyboard.press("Tab")
    assert panel.button.evaluate("button => button === document.activeElement")
    panel.page.keyboard.press("Enter")
    assert "the key that you gave" in panel.outcome().text("signature")
    assert panel.button.evaluate("button => button === document.activeElement")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_in_a_result_of_every_state(
    browser: Browser, checked: CheckedSite, address: str, theme: str
) -> None:
    with Visit(browser, address, color_scheme=theme, bypass_csp=True, reduced_motion="reduce") as site:
        panel = Panel(site, WITHHELD)
        panel.check_run(with_changed_section(checked.run(WITHHELD), "context"))
        found: Any = Axe().run(panel.page)
    assert [(violation["id"], violation["nodes"][0]["html"][:200]) for violation in found.response["violations"]] == []


@pytest.mark.parametrize("width", [320, 768])
def test_a_result_is_no_wider_than_its_window(browser: Browser, address: str, width: int) -> None:
    with Visit(browser, address, viewport={"width": width, "height": 800}) as site:
        panel = Panel(site, RUN)
        panel.check({f"log/inclusion/{RUN}": 404})
        assert panel.page.evaluate("document.documentElement.scrollWidth") <= width
