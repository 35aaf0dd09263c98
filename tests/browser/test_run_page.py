"""The page of a run in a real browser: a person follows it, in either language, with a keyboard, however long it is."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from dataset.artifacts.artifact import ModelStep
from dataset.artifacts.digest import open_artifact
from publisher.rendering.site.assets import SCRIPTS, STYLESHEET, asset_bytes
from publisher.rendering.site.build import build_site
from tests.browser.checked_site import RUN, CheckedSite
from tests.browser.panel import Panel
from tests.browser.visit import PAGES, SUB_PATH, Visit
from tests.factories import make_batch, reseal, write_snapshot

pytestmark = pytest.mark.browser
StartVisit = Callable[..., Visit]
MOST_SENT = 100_000
LONG = "The plan says <b>nothing</b> of that. " * 27_000
LONGEST_ATTRIBUTE = """
Math.max(...[...document.querySelectorAll('*')].flatMap(e => [...e.attributes].map(a => a.value.length)))
"""


@pytest.fixture(scope="module")
def refused(parent: Path) -> str:
    """The name of a page with a call that was refused."""
    for path in sorted((parent / SUB_PATH / "runs").glob("batch-1-*.html")):
        if "G3-AUTH-001" in path.read_text(encoding="utf-8"):
            return f"runs/{path.name}"
    raise AssertionError("no run with a refused call")


@pytest.mark.parametrize("scripts", [True, False], ids=["script", "no script"])
@pytest.mark.parametrize(("folder", "denied"), [("", "G3: deny"), ("zh/", "G3：拒绝")])
def test_a_call_has_seven_marks_that_open_to_code_and_reason(
    visit: StartVisit, refused: str, scripts: bool, folder: str, denied: str
) -> None:
    with visit("file", java_script_enabled=scripts) as site:
        page = site.open(folder + refused)
        chain = page.locator(".timeline > .tool.refused .chain").first
        assert chain.locator(".marks .ruling").count() == 7
        assert chain.locator(".marks .skipped").count() == 4
        assert denied in chain.locator("summary").inner_text()
        assert not chain.locator(".checks").is_visible()
        chain.locator("summary").focus()
        page.keyboard.press("Enter")
        assert chain.locator(".checks > li").count() == 7
        code = chain.locator(".checks a", has_text="G3-AUTH-001")
        assert code.is_visible()
        code.click()
        assert page.url.endswith("codes/G3-AUTH-001.html")
        assert ("/zh/" in page.url) is bool(folder)
        assert site.faults == []


def test_the_top_says_what_was_asked_what_came_out_and_the_first_reason(visit: StartVisit) -> None:
    with visit("file", java_script_enabled=False, viewport={"width": 1440, "height": 900}) as site:
        page = site.open(PAGES["run that supersedes and was cut off"])
        rows = page.locator(".summary > div")
        assert rows.evaluate_all("rows => rows.every(row => row.getBoundingClientRect().bottom < innerHeight)")
        assert "output_truncated" in page.locator(".summary").inner_text()
        assert page.locator(".summary .verdict").inner_text() == "✗ fail"


def test_permalinks_show_on_focus_and_lead_to_their_place(visit: StartVisit, refused: str) -> None:
    mark = "link => getComputedStyle(link, '::after').opacity"
    with visit("file") as site:
        page = site.open(refused)
        for place in ("#step-0", "#step-0-call-1", "#assertion-1", "#item-1"):
            link = page.locator(f'a.here[href="{place}"]')
            assert link.evaluate(mark) == "0"
            page.keyboard.press("Tab")  # from here on focus is shown
            link.focus()
            assert link.evaluate(mark) == "1"
            page.keyboard.press("Enter")
            assert page.url.endswith(place)
            assert page.locator(place).is_visible()
    with visit("file", has_touch=True, is_mobile=True) as site:
        assert site.open(refused).locator("a.here").first.evaluate(mark) == "1"


def test_the_panel_speaks_the_language_of_its_page(browser: Browser, address: str) -> None:
    with Visit(browser, address) as site:
        page = site.open(f"zh/runs/{RUN}.html")
        page.get_by_role("button", name="在此检查本次运行").click()
        page.locator('.check [role="status"]', has_text="没有差异").wait_for()
        said = page.locator(".check [data-check=lines] li").all_inner_texts()
        assert said[0].startswith("✓ 成立 runs/")
        assert all(re.search("[一-鿿]", line) for line in said)
        assert site.faults == []


def test_a_run_of_two_megabytes_opens_with_its_texts_folded(browser: Browser, tmp_path: Path) -> None:
    batch = make_batch("long", case_ids=["fund-nav"], model_keys=["careful"])
    batch = replace(batch, artifacts={run_id: _prolonged(data) for run_id, data in batch.artifacts.items()})
    build_site(write_snapshot(tmp_path / "snapshot", [batch]), tmp_path / "site")
    name = "runs/long-0001.html"
    assert (tmp_path / "site" / name).stat().st_size > 2_000_000
    with Visit(browser, (tmp_path / "site").as_uri() + "/") as site:
        page = site.open(name)
        assert page.evaluate(LONGEST_ATTRIBUTE) < 2_000
        assert page.evaluate("document.body.innerText.length") < 40_000
        fold = page.locator("#step-0 > details.fold")
        assert not fold.locator(".text").is_visible()
        fold.locator("summary").click()
        assert fold.locator(".text").is_visible()
        assert page.locator(".items > li").first.evaluate("e => getComputedStyle(e).contentVisibility") == "auto"
        assert site.faults == []


def _prolonged(data: bytes) -> bytes:
    artifact = open_artifact(data)
    steps = tuple(
        step.model_copy(update={"text": LONG} if isinstance(step, ModelStep) else {"result": LONG})
        for step in artifact.steps
    )
    return reseal(artifact, steps=steps)


def test_an_ordinary_run_is_light_to_send(parent: Path) -> None:
    beside = sum(len(gzip.compress(asset_bytes(name))) for name in (STYLESHEET, *SCRIPTS))
    for kind, name in PAGES.items():
        if name.startswith("runs/") and "hostile" not in kind:
            for folder in ("", "zh/"):
                page = (parent / SUB_PATH / folder / name).read_bytes()
                assert len(gzip.compress(page)) + beside <= MOST_SENT, kind


def test_a_kept_checkpoint_is_held_to_the_latest_log(panel: Panel, checked: CheckedSite) -> None:
    kept, foreign = checked.file("log/checkpoints/2"), checked.log("rewritten")["log/checkpoints/2"]
    panel.page.locator(".check summary").click()
    for text, failing in ((kept, []), (foreign, ["kept checkpoint"])):
        panel.page.get_by_label("The whole text of log/checkpoint").fill(text.decode())
        outcome = panel.check()
        assert outcome.failing == failing
        assert "the 8 up to the checkpoint that you kept" in outcome.text("kept checkpoint")
