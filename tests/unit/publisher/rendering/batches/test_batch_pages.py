"""The pages of a batch: whole where it is small, in parts where it is large, and never too heavy."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from publisher.rendering.batches.view import CELLS_A_PAGE, batch_view
from publisher.rendering.page_names import batch_model_page
from publisher.rendering.pages.batches import batch_pages
from publisher.rendering.pages.comparisons import comparison_pages
from publisher.rendering.pages.interface import Page, SiteSource
from publisher.rendering.pages.renderer import rendered
from publisher.rendering.snapshot.snapshot import Snapshot
from tests.factories import make_batch, write_snapshot
from tests.unit.publisher.rendering.html_page import HtmlPage

HEAVIEST = 300_000


def made(source: SiteSource) -> dict[str, bytes]:
    pages = [p for family in (batch_pages, comparison_pages) for p in family(source) if isinstance(p, Page)]
    return {file.name: file.data for page in pages for file in rendered(page, source)}


@pytest.fixture(scope="module")
def crowd(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Sixty models on two cases in two variants."""
    keys = [f"model-{number:02d}" for number in range(60)]
    batch = make_batch("crowd", case_ids=("fund-nav", "order-history"), model_keys=keys)
    return made(SiteSource(snapshot=Snapshot(write_snapshot(tmp_path_factory.mktemp("crowd"), [batch]))))


def test_no_page_of_a_crowded_batch_is_heavy(crowd: dict[str, bytes]) -> None:
    assert {name: len(data) for name, data in crowd.items() if len(data) > HEAVIEST} == {}


def test_every_link_between_the_pages_of_a_crowded_batch_leads_somewhere(crowd: dict[str, bytes]) -> None:
    pages = {name: HtmlPage(data.decode()) for name, data in crowd.items()}
    ids = {name: set(page.ids) for name, page in pages.items()}
    for name, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            target = (Path("/", name).parent / unquote(parts.path)).resolve() if parts.path else Path("/", name)
            found = target.relative_to("/").as_posix()
            if found.removeprefix("zh/").split("/")[0] in ("batches", "compare") and "#" in link:
                assert unquote(parts.fragment) in ids[found], (name, link)
            elif found.removeprefix("zh/").split("/")[0] in ("batches", "compare"):
                assert found in pages, (name, link)


def test_each_model_of_a_crowded_batch_has_its_place_and_its_page(crowd: dict[str, bytes]) -> None:
    page = HtmlPage(crowd["batches/crowd.html"].decode())
    for number in range(60):
        assert f"model-model-{number:02d}" in page.ids
        assert f"../batches/crowd/model-{number:02d}.html" in page.links
    parts = {name for name in crowd if name.startswith("batches/crowd.")} - {"batches/crowd.html"}
    assert {"batches/crowd.results.html", "batches/crowd.order.html", "batches/crowd.models.html"} <= parts


def test_every_run_of_a_model_is_on_its_page_in_the_batch(snapshot: Path) -> None:
    source = SiteSource(snapshot=Snapshot(snapshot))
    pages = made(source)
    for batch in source.snapshot.batches:
        for part in batch_view(batch).models:
            page = HtmlPage(pages[batch_model_page(batch.report.batch_id, part.model.key)].decode())
            assert {f"../../runs/{run.run_id}.html" for run in part.whole.runs} <= set(page.links)


def test_a_model_of_many_runs_has_several_pages_and_the_batch_no_table_of_all(tmp_path: Path) -> None:
    cases = [f"case-{number}" for number in range(CELLS_A_PAGE // 2 + 1)]
    batch = make_batch("batch-1", case_ids=cases, model_keys=("careful",))
    source = SiteSource(snapshot=Snapshot(write_snapshot(tmp_path, [batch])))
    pages = made(source)
    assert {"batches/batch-1/careful.html", "batches/batch-1/careful.2.html"} <= set(pages)
    assert b'id="matrix"' not in pages["batches/batch-1.html"]
    assert max(len(data) for data in pages.values()) < HEAVIEST
    runs = {f"../../runs/{run.run_id}.html" for run in source.snapshot.batches[0].report.runs}
    shown = [HtmlPage(data.decode()) for name, data in pages.items() if name.startswith("batches/batch-1/careful")]
    assert runs <= {link for page in shown for link in page.links}
