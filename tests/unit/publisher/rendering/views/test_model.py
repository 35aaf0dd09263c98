"""What the page of a model gathers from the batches that it was in."""

from __future__ import annotations

from pathlib import Path

from publisher.rendering.views.model import ModelView
from tests.factories.boards import BoardModel, make_report, share, site_source

GOOD, POOR = BoardModel(key="good", passes=share(10)), BoardModel(key="poor", passes=share(1))


def views(folder: Path) -> dict[str, ModelView]:
    """Two batches of one board, a third that was withdrawn, and one of another board with a model of its own."""
    reports = (
        make_report("batch-1", [GOOD, POOR]),
        make_report("batch-2", [GOOD]),
        make_report("batch-3", [GOOD], withdrawn=lambda run: True),
        make_report("batch-4", [POOR, BoardModel(key="broken", passes=lambda planned: None)], cases=12),
    )
    return {view.key: view for view in site_source(folder, reports).model_views}


def test_every_batch_of_a_model_stands_under_its_key_newest_first(tmp_path: Path) -> None:
    found = views(tmp_path)
    batches = {key: [str(one.report.batch_id) for one in view.batches] for key, view in found.items()}
    assert batches == {
        "broken": ["batch-4"],
        "good": ["batch-3", "batch-2", "batch-1"],
        "poor": ["batch-4", "batch-1"],
    }
    assert found["poor"].runs == 24 + 20


def test_its_ranks_are_those_among_all_batches_of_a_board_and_none_where_it_was_withdrawn_or_alone(
    tmp_path: Path,
) -> None:
    found = views(tmp_path)
    assert [one.rank for one in found["good"].batches] == ["", "1–2", "1–2"]
    assert [one.rank for one in found["poor"].batches][1] == "3"
    assert [one.rank for one in found["broken"].batches] == [""]


def test_its_example_is_a_run_that_did_not_pass_and_still_counts(tmp_path: Path) -> None:
    found = views(tmp_path)
    (failed,) = {one.example.verdict for one in found["poor"].batches if one.example is not None}
    assert failed == "fail"
    assert found["good"].batches[0].example is None
    assert found["broken"].batches[0].invalid == {"provider_5xx": 24}
