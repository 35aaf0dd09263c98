"""What the cards of a site say, and under which marks."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from publisher.projection.report import Report
from publisher.rendering.cards.card import Card
from publisher.rendering.pages.interface import SiteSource
from publisher.rendering.snapshot.snapshot import Snapshot
from tests.factories import make_batch
from tests.factories.boards import BoardModel, make_report, share, site_source
from tests.factories.logged import OWNER, write_logged_snapshot

GOOD, POOR = BoardModel(key="good", passes=share(9)), BoardModel(key="poor", passes=share(1))
SCRIPT = BoardModel(key="script", synthetic=True)


def cards(folder: Path, *reports: Report) -> Mapping[str, Card]:
    return site_source(folder, reports).cards


def test_each_kind_of_page_tells_what_stands_on_it(tmp_path: Path) -> None:
    found = cards(tmp_path, make_report("batch-1", [GOOD, POOR]), make_report("batch-2", [GOOD], cases=5))
    assert found["index.html"].facts == ("2 models", "50 runs", "2 releases")
    board = next(card for name, card in found.items() if name.startswith("boards/") and card.facts[0] == "2 models")
    assert board.facts[:2] == ("2 models", "10 cases")
    assert board.figure is not None
    assert (board.figure.value, board.figure.label) == ("90.0\u00a0%", "best pass rate: Model good")
    assert found["models/good.html"].facts[1:] == ("10 of 10 runs valid", "2 batches")
    assert found["models/poor.html"].facts[1:] == ("20 of 20 runs valid", "1 batch")
    assert found["batches/batch-1.html"].facts == ("batch-1", "40 runs", "Model good", "Model poor")
    assert found["releases/2.html"].facts[1:] == ("10 runs brought",)


def test_a_batch_of_many_models_names_a_few(tmp_path: Path) -> None:
    models = [BoardModel(key=f"m{number}") for number in range(6)]
    facts = cards(tmp_path, make_report("batch-1", models))["batches/batch-1.html"].facts
    assert facts[2:] == ("Model m0", "Model m1", "Model m2", "Model m3", "and 2 more")


def test_a_model_without_a_valid_run_has_no_figure(tmp_path: Path) -> None:
    found = cards(tmp_path, make_report("batch-1", [BoardModel(key="broken", passes=lambda planned: None)]))
    assert found["models/broken.html"].figure is None
    assert "0 of 20 runs valid" in found["models/broken.html"].facts


def test_a_snapshot_with_a_script_is_marked_so_on_every_card(tmp_path: Path) -> None:
    assert {card.marks for card in cards(tmp_path / "a", make_report("batch-1", [GOOD])).values()} == {frozenset()}
    marked = cards(tmp_path / "b", make_report("batch-1", [GOOD, SCRIPT]))
    assert {card.marks for card in marked.values()} == {frozenset({"synthetic"})}


@pytest.mark.parametrize("signed", [True, False])
def test_a_log_that_nobody_signed_is_told_on_every_card(tmp_path: Path, *, signed: bool) -> None:
    snapshot = tmp_path / "snapshot"
    write_logged_snapshot(snapshot, [make_batch("batch-1")], signer=OWNER if signed else None)
    found = SiteSource(snapshot=Snapshot(snapshot)).cards.values()
    assert {"not_signed" in card.marks for card in found} == {not signed}


def test_only_the_pages_of_what_was_withdrawn_are_marked_so(tmp_path: Path) -> None:
    gone = make_report("batch-2", [POOR], withdrawn=lambda run: True)
    found = cards(tmp_path, make_report("batch-1", [GOOD]), gone)
    assert {name for name, card in found.items() if "withdrawn" in card.marks} == {
        "batches/batch-2.html",
        "models/poor.html",
    }
