"""What became of pairs and cases, against sets made by hand."""

from __future__ import annotations

import pytest

from publisher.rendering.compare.pairing import case_outcomes, tally_of
from tests.unit.publisher.rendering.compare.run_lines import pairings


@pytest.mark.parametrize(
    ("signs", "outcome"),
    [
        ("-+", "won"),
        ("+-", "lost"),
        ("++", "both"),
        ("--", "neither"),
        ("!+", "apart"),
        ("+!", "apart"),
        ("ww", "apart"),
        (" +", "apart"),
    ],
)
def test_a_pair_comes_out_as_its_runs_did(signs: str, outcome: str) -> None:
    (found,) = pairings(case=signs)
    assert found.outcome == outcome
    assert found.whole is (" " not in signs)


@pytest.mark.parametrize(
    ("pairs", "standing"),
    [
        ("-+", "won"),
        ("-+|-+|+-", "won"),
        ("+-|++", "lost"),
        ("++|--", "tied"),
        ("-+|+-", "tied"),
        ("-+|!-", "won"),
        ("!+|+w| -", "apart"),
    ],
)
def test_a_case_is_won_by_the_side_that_passed_more_of_its_pairs(pairs: str, standing: str) -> None:
    (found,) = case_outcomes(pairings(case=pairs))
    assert found.standing == standing


def test_every_pair_is_counted_once_and_invalid_ones_apart() -> None:
    found = tally_of(pairings(a="-+", b="+-", c="++|--", d="!+", e="w-", f="+ "))
    assert (found.planned, found.pairs) == (7, 4)
    assert (found.won, found.lost, found.both, found.neither, found.apart) == (1, 1, 1, 1, 3)
    assert (found.withdrawn, found.missing) == (1, 1)


def test_the_worst_and_best_case_take_every_invalid_run_against_and_for_the_right_side() -> None:
    found = tally_of(pairings(a="-+", b="!+", c="-!", d="!!"))
    # a: +1 · b: 0 or +1 · c: 0 or +1 · d: −1 or +1
    assert (found.worst, found.best) == ("0.0000", "1.0000")
    assert tally_of(pairings(a="-+", b="++")).worst == tally_of(pairings(a="-+", b="++")).best == "0.5000"
    assert tally_of(()).worst is None
