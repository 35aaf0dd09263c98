"""Sites that many tests look at, built once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dataset.artifacts.definition import PlannedRun
from publisher.rendering.site.build import build_site
from tests.factories import CASE_IDS, Scenario, make_batch, write_snapshot
from tests.unit.publisher.rendering.finance_batches import delivery_batch, strategies_batch
from tests.unit.publisher.rendering.html_page import HtmlPage, read_pages

HOSTILE_TEXTS = Path(__file__).parents[5] / "shared/corpora/hostile-texts/texts.json"
SCENARIOS: tuple[Scenario, ...] = ("pass", "fail", "refused", "invalid")


def each_scenario(planned: PlannedRun) -> Scenario:
    return SCENARIOS[planned.position % len(SCENARIOS)]


@pytest.fixture(scope="session")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two releases: three models on twelve cases, and two on three."""
    cases = (*CASE_IDS, *(f"case-{number}" for number in range(9)))
    large = make_batch("batch-1", case_ids=cases, model_keys=("careful", "careless", "third"))
    return write_snapshot(tmp_path_factory.mktemp("snapshot"), [large, make_batch("batch-2", repeats=2)])


@pytest.fixture(scope="session")
def site(snapshot: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("site") / "_site"
    build_site(snapshot, target)
    return target


@pytest.fixture(scope="session")
def pages(site: Path) -> dict[str, HtmlPage]:
    """Every page of the site, by name."""
    return read_pages(site)


@pytest.fixture(scope="session")
def finance_snapshot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Batches `strategies` and `delivery`."""
    return write_snapshot(tmp_path_factory.mktemp("finance"), [strategies_batch(), delivery_batch()])


@pytest.fixture(scope="session")
def finance_site(finance_snapshot: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("finance-site") / "_site"
    build_site(finance_snapshot, target)
    return target


@pytest.fixture(scope="session")
def hostile_texts() -> list[str]:
    if not HOSTILE_TEXTS.is_file():
        pytest.skip("the corpus of hostile texts isn't here")
    texts: list[str] = json.loads(HOSTILE_TEXTS.read_text(encoding="utf-8"))
    return texts


@pytest.fixture(scope="session")
def hostile_site(hostile_texts: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A batch for every hostile text, `batch-<number of the text>`, with the text in every place that holds words."""
    folder = tmp_path_factory.mktemp("hostile")
    batches = [
        make_batch(f"batch-{number}", model_keys=("careful",), scenario=each_scenario, text=text)
        for number, text in enumerate(hostile_texts)
    ]
    build_site(write_snapshot(folder / "snapshot", batches), folder / "_site")
    return folder / "_site"


@pytest.fixture(scope="session")
def hostile_pages(hostile_site: Path) -> dict[str, HtmlPage]:
    return read_pages(hostile_site)
