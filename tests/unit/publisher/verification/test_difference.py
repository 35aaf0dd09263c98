from __future__ import annotations

from publisher.verification.difference import MOST_SHOWN, SHOWN_CHARACTERS, Difference, Verification, compare


def test_equal_values_have_no_difference() -> None:
    assert compare("x", {"a": [1, {"b": None}]}, {"a": [1, {"b": None}]}) == []


def test_each_leaf_that_differs_is_named_by_its_pointer() -> None:
    found = compare("differs", {"a": [1, 2], "b/c": "x", "d": 1}, {"a": [1, 3], "b/c": "y", "e": 1})
    assert [(d.place, d.expected, d.observed) for d in found] == [
        ("/a/1", "2", "3"),
        ("/b~1c", "x", "y"),
        ("/d", "1", "absent"),
        ("/e", "absent", "1"),
    ]


def test_true_and_one_are_two_values() -> None:
    assert len(compare("x", {"a": 1}, {"a": True})) == 1


def test_lists_of_two_lengths_are_one_difference() -> None:
    assert [d.place for d in compare("x", {"a": [1]}, {"a": [1, 2]})] == ["/a"]


def test_a_flood_of_differences_and_long_values_are_cut() -> None:
    found = compare("x", {str(n): "a" * 1000 for n in range(100)}, {})
    assert len(found) == MOST_SHOWN
    assert len(found[0].expected) == SHOWN_CHARACTERS + 1


def test_a_verification_as_json_says_what_was_looked_at_and_what_differs() -> None:
    difference = Difference(place="index.json", expected="", observed="", message="missing")
    body = Verification(files=2, runs=1, differences=(difference,)).as_json()
    assert body["holds"] is False
    assert body["checked"] == {"files": 2, "reports": 0, "runs": 1, "assertions": 0}
    assert body["differences"] == [{"place": "index.json", "expected": "", "observed": "", "message": "missing"}]
