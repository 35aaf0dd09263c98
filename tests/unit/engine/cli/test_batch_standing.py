"""A batch's state in a few words."""

from __future__ import annotations

import pytest

from dataset.store.batch_control import Wish
from engine.cli.batch_standing import state_of


@pytest.mark.parametrize(
    ("wish", "reason", "recorded", "in_hand", "said"),
    [
        ("rest", None, 0, 0, "not started"),
        ("rest", None, 5, 0, "not running"),
        ("run", None, 5, 2, "running"),
        ("run", None, 5, 0, "waiting for a worker"),
        ("run", None, 5, None, "running"),
        ("pause", None, 5, 0, "paused"),
        ("pause", "LEDGER-DRIFT-001", 5, 0, "paused (LEDGER-DRIFT-001)"),
        ("cancel", None, 5, 0, "being cancelled"),
        ("cancel", "BATCH-BUDGET-001", 5, 0, "being ended (BATCH-BUDGET-001)"),
    ],
)
def test_an_unfinished_batch_is_what_is_wanted_of_it(
    wish: Wish, reason: str | None, recorded: int, in_hand: int | None, said: str
) -> None:
    assert state_of(finished=False, wish=wish, reason=reason, recorded=recorded, in_hand=in_hand) == said


def test_a_finished_batch_tells_the_rule_that_ended_it() -> None:
    assert state_of(finished=True, wish="rest", reason=None, recorded=5) == "finished"
    assert state_of(finished=True, wish="rest", reason="BATCH-BUDGET-001", recorded=5) == "finished (BATCH-BUDGET-001)"
