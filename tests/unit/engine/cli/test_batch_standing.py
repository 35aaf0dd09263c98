"""A batch's state in a few words."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest

from dataset.store.batch_control import Wish
from engine.batches.process_identity import own_identity
from engine.cli.batch_standing import slices_held, state_of


@pytest.mark.parametrize(
    ("wish", "reason", "recorded", "held", "said"),
    [
        ("rest", None, 0, 0, "not started"),
        ("rest", None, 5, 0, "not running"),
        ("run", None, 5, 2, "running"),
        ("run", None, 5, 0, "waiting for a worker"),
        ("pause", None, 5, 0, "paused"),
        ("pause", "LEDGER-DRIFT-001", 5, 0, "paused (LEDGER-DRIFT-001)"),
        ("cancel", None, 5, 1, "being cancelled"),
        ("cancel", None, 5, 0, "being cancelled, waiting for a worker"),
        ("cancel", "BATCH-BUDGET-001", 5, 1, "being ended (BATCH-BUDGET-001)"),
    ],
)
def test_an_unfinished_batch_is_what_is_wanted_of_it(
    wish: Wish, reason: str | None, recorded: int, held: int, said: str
) -> None:
    assert state_of(finished=False, wish=wish, reason=reason, recorded=recorded, held=held) == said


def test_a_finished_batch_tells_the_rule_that_ended_it() -> None:
    said = partial(state_of, finished=True, wish="rest", recorded=5, held=0)
    assert said(reason=None) == "finished"
    assert said(reason="BATCH-BUDGET-001") == "finished (BATCH-BUDGET-001)"


def test_a_batch_that_its_owner_ended_is_not_called_finished() -> None:
    assert (
        state_of(finished=True, wish="rest", reason=None, recorded=5, held=0, cancelled=True)
        == "cancelled by its owner"
    )


@pytest.mark.parametrize("recorded", [0, 5])
def test_runs_that_were_planned_again_are_counted_in_the_state(recorded: int) -> None:
    said = state_of(finished=False, wish="rest", reason=None, recorded=recorded, held=0, again=1)
    assert said == "to be tried again: 1 run"


def test_a_slice_in_the_hands_of_a_dead_process_of_this_machine_is_not_held() -> None:
    me = own_identity()
    dead = replace(me, started="1")
    assert slices_held({str(me): 2, str(dead): 3, "elsewhere/1/1/aa": 4}) == 6
