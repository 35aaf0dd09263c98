"""Snapshots that exports are made from."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dataset.artifacts.definition import PlannedRun
from dataset.questions.withholding import WITHHELD
from tests.factories import Scenario, make_batch, write_snapshot
from tests.factories.logged import OWNER
from tests.factories.released import Change, write_released
from tests.unit.publisher.exports.exported import URL, exports_of, site_of
from tests.unit.publisher.rendering.marked import marked_batch

HOSTILE_TEXTS = Path(__file__).parents[5] / "shared/corpora/hostile-texts/texts.json"
REASON = "=1+1 the fixture was wrong"


def one_of_each(planned: PlannedRun) -> Scenario:
    scenarios: tuple[Scenario, ...] = ("pass", "fail", "invalid")
    return scenarios[planned.position % 3]


@pytest.fixture(scope="session")
def unlogged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two batches, and no log."""
    batches = [make_batch("batch-1", scenario=one_of_each), make_batch("batch-2", repeats=2, synthetic=True)]
    return write_snapshot(tmp_path_factory.mktemp("unlogged"), batches)


@pytest.fixture(scope="session")
def changed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A signed log: `batch-1` lost one run, `batch-2` withholds its questions, `batch-3` was withdrawn as a whole."""
    batches = [
        make_batch("batch-1", model_keys=("careful",), text="zqshown"),
        make_batch("batch-2", model_keys=("careful",), withheld=("case", "context", "gold"), text="zqhidden"),
        make_batch("batch-3", model_keys=("careful",), text="zqgone"),
    ]
    gone = {"batch-1-0002": REASON} | dict.fromkeys(map(str, batches[2].artifacts), REASON)
    signers = (OWNER,) * (len(batches) + 1)
    return write_released(tmp_path_factory.mktemp("changed"), batches, Change(withdrawn=gone), signers=signers)


@pytest.fixture(scope="session")
def marked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A batch that withholds all that can be, and one that was withdrawn, each part with a word of its own."""
    held, gone = marked_batch("batch-1", WITHHELD), marked_batch("batch-2", WITHHELD)
    change = Change(withdrawn=dict.fromkeys(map(str, gone.artifacts), "Its fixture was wrong."))
    return write_released(tmp_path_factory.mktemp("marked"), [held, gone], change)


@pytest.fixture(scope="session")
def hostile_texts() -> list[str]:
    if not HOSTILE_TEXTS.is_file():
        pytest.skip("the corpus of hostile texts isn't here")
    texts: list[str] = json.loads(HOSTILE_TEXTS.read_text(encoding="utf-8"))
    return texts


@pytest.fixture(scope="session")
def hostile(hostile_texts: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A batch for every hostile text, with the text in every place that holds words."""
    batches = [
        make_batch(f"batch-{number}", case_ids=("fund-nav",), model_keys=("careful",), text=text)
        for number, text in enumerate(hostile_texts)
    ]
    return write_snapshot(tmp_path_factory.mktemp("hostile"), batches)


@pytest.fixture(scope="session")
def unlogged_site(unlogged: Path) -> dict[str, bytes]:
    return site_of(unlogged)


@pytest.fixture(scope="session")
def changed_site(changed: Path) -> dict[str, bytes]:
    """Built with an address."""
    return site_of(changed, URL)


@pytest.fixture(scope="session")
def hostile_exports(hostile: Path) -> dict[str, bytes]:
    return exports_of(hostile, URL)
