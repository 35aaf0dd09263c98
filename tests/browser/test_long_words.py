"""Words without a place to break, wherever words from outside stand: no page gets wider than its window for them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from dataset.artifacts.digest import open_artifact
from publisher.rendering.site.build import build_site
from tests.browser.page_faults import ENLARGED
from tests.browser.visit import Visit
from tests.factories import make_batch, write_snapshot
from tests.factories.forgery import forge_runs
from tests.factories.runs import forged, reseal

WORD = "W" * 400
CODE = "X" * 180
WIDER = """() => {
  for (const one of document.querySelectorAll('details')) one.open = true;
  for (const one of document.querySelectorAll('body *'))
    if (getComputedStyle(one).contentVisibility === 'auto') one.style.contentVisibility = 'visible';
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= width) return [];
  return [...document.querySelectorAll('body *')]
    .filter(one => one.getBoundingClientRect().right > width + 1 && !one.closest('.scroll'))
    .map(one => `${one.tagName}.${one.className}`);
}"""


def _with_long_codes(body: dict[str, Any]) -> None:
    for noted in (*body["steps"], *body["guardrail_checks"], *body["output_checks"]):
        for name in ("code", "reason"):
            if noted.get(name) is not None:
                noted[name] = CODE
    for step in body["steps"]:
        for call in (step, *step.get("tool_calls", ())):
            if "call_id" in call:
                call["call_id"] = WORD
    for check in body["guardrail_checks"][-1:]:
        check["guard"] = CODE
    if body["judgment"]["failure_reasons"]:
        body["judgment"]["failure_reasons"] = [CODE]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("long")
    batch = make_batch("batch-1", case_ids=("fund-nav", "order-history", "advice-wish"), text=WORD)
    snapshot = write_snapshot(folder / "snapshot", [batch])
    changed = {
        run_id: reseal(forged(open_artifact(data), _with_long_codes)) for run_id, data in batch.artifacts.items()
    }
    forge_runs(snapshot, batch, changed)
    build_site(snapshot, folder / "site")
    return folder / "site"


@pytest.mark.parametrize("folder", ["", pytest.param("zh/", marks=pytest.mark.slow)])
def test_no_page_gets_wider_than_its_window(browser: Browser, site: Path, folder: str) -> None:
    names = sorted(path.relative_to(site / folder).as_posix() for path in (site / folder).rglob("*.html"))
    pages = [name for name in names if not name.startswith("zh/")]
    assert len(pages) > 40
    with Visit(browser, (site / folder).as_uri() + "/", viewport=ENLARGED) as visit:
        found = {name: visit.open(name, "load").evaluate(WIDER) for name in pages}
        assert {name: wide for name, wide in found.items() if wide} == {}
