"""Ranks are ranges; a tie is what can't be told apart on the same cases."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from dataset.measures.statistics.ranking import Outcomes, Ranking, measure_ranking

CASES = 24


def ranked(**passes: range | list[int]) -> Ranking:
    outcomes: dict[str, Outcomes] = {
        name: {(f"case-{case:02d}", "1"): case in passed for case in range(CASES)} for name, passed in passes.items()
    }
    return measure_ranking(outcomes, of="models", model_key=None)


def ranges(found: Ranking) -> dict[str, tuple[int, int]]:
    return {entry.id: (entry.rank_low, entry.rank_high) for entry in found.entries}


def test_a_clear_difference_gives_each_a_rank_of_its_own() -> None:
    found = ranked(low=range(4), high=range(20))
    assert ranges(found) == {"high": (1, 1), "low": (2, 2)}
    assert [entry.id for entry in found.entries] == ["high", "low"]
    assert found.entries[0].better_than == ("low",)
    assert (found.comparisons, found.tested) == (1, 1)


def test_what_chance_may_have_done_is_a_tie() -> None:
    found = ranked(a=range(12), b=range(10), c=range(11))
    assert set(ranges(found).values()) == {(1, 3)}
    assert found.entries[0].tied_with == ("c", "b")


def test_ties_that_are_not_transitive_give_ranges_that_overlap() -> None:
    found = ranked(top=range(20), middle=range(15), low=range(10))
    assert ranges(found) == {"top": (1, 2), "middle": (1, 3), "low": (2, 3)}
    assert {entry.id: set(entry.tied_with) for entry in found.entries} == {
        "top": {"middle"},
        "middle": {"top", "low"},
        "low": {"middle"},
    }


def test_a_difference_alone_may_be_lost_among_many() -> None:
    # Seven cases apart: p = 0.0156 alone, 0.047 or more once adjusted for three pairs, 0.09 for six.
    assert ranges(ranked(a=range(17), b=range(10))) == {"a": (1, 1), "b": (2, 2)}
    four = ranked(a=range(17), b=range(10), c=range(13), d=range(14))
    assert set(ranges(four).values()) == {(1, 4)}


def test_fewer_than_ten_cases_in_common_are_never_told_apart() -> None:
    outcomes: dict[str, Outcomes] = {
        name: {(f"case-{case}", str(repeat)): name == "good" for case in range(9) for repeat in range(50)}
        for name in ("good", "bad")
    }
    found = measure_ranking(outcomes, of="arms", model_key="m")
    assert (found.tested, found.comparisons) == (0, 1)
    assert set(ranges(found).values()) == {(1, 2)}


def test_one_without_a_valid_run_stands_last_and_tied_with_all() -> None:
    outcomes: dict[str, Outcomes] = {"broken": {}, "well": {(f"case-{n}", "1"): False for n in range(12)}}
    found = measure_ranking(outcomes, of="models", model_key=None)
    assert [(entry.id, entry.pass_rate) for entry in found.entries] == [("well", "0.0000"), ("broken", None)]
    assert set(ranges(found).values()) == {(1, 2)}


@settings(max_examples=40)
@given(st.dictionaries(st.sampled_from("abcdef"), st.lists(st.integers(0, CASES - 1)), min_size=1))
def test_each_other_is_better_worse_or_tied_and_never_two_of_them(passes: dict[str, list[int]]) -> None:
    found = ranked(**passes)
    better = {entry.id: set(entry.better_than) for entry in found.entries}
    for entry in found.entries:
        worse_than = {other for other, beaten in better.items() if entry.id in beaten}
        everyone = [*entry.better_than, *entry.tied_with, *worse_than]
        assert sorted([*everyone, entry.id]) == sorted(passes)
        assert 1 <= entry.rank_low == 1 + len(worse_than) <= entry.rank_high == len(passes) - len(entry.better_than)
