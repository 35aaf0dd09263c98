"""No list is cut in silence."""

from __future__ import annotations

from dataset.console import named


def test_a_list_that_is_cut_says_how_many_are_left() -> None:
    assert named(["a", "b", "c", "d", "e"]) == "a, b, c and 2 more"
    assert named(["a", "b", "c", "d"], each="run") == "a, b, c and 1 more run"


def test_a_list_that_fits_is_whole() -> None:
    assert named(["a", "b", "c"]) == "a, b, c"
