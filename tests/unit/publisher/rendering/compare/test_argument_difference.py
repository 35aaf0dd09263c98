"""Where arguments differ, by path."""

from __future__ import annotations

import pytest

from publisher.rendering.compare.argument_difference import MOST_SHOWN, ValueDifference, value_differences


def test_each_place_that_differs_is_named_with_both_values() -> None:
    left = '{"code":"GBF-1","dates":["2026-01-01","2026-01-02"],"only left":{"a":1}}'
    right = '{"code":"GBF-2","dates":["2026-01-01"],"right":null}'
    assert value_differences(left, right) == (
        ValueDifference(path="$.code", left='"GBF-1"', right='"GBF-2"'),
        ValueDifference(path="$.dates[1]", left='"2026-01-02"', right=None),
        ValueDifference(path='$["only left"]', left='{"a":1}', right=None),
        ValueDifference(path="$.right", left=None, right="null"),
    )


def test_equal_arguments_differ_nowhere_and_true_is_no_one() -> None:
    assert value_differences('{"a":[1,2]}', '{"a":[1,2]}') == ()
    assert value_differences('{"a":true}', '{"a":1}') == (ValueDifference(path="$.a", left="true", right="1"),)


@pytest.mark.parametrize("text", ["", "{", "[" * 5000 + "]" * 5000, "nonsense"])
def test_what_isnt_json_is_told_as_that(text: str) -> None:
    assert value_differences(text, "{}") is None


def test_no_more_places_are_shown_than_a_page_holds() -> None:
    found = value_differences(str(list(range(500))), str(list(range(1, 501))))
    assert found is not None
    assert len(found) == MOST_SHOWN
