from __future__ import annotations

from typing import Any

import pytest

from dataset.questions.pack_document import read_document
from dataset.questions.pack_fault import path_text


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("true", True),
        ("false", False),
        ("null", None),
        ("~", None),
        ("7", 7),
        ("-7", -7),
        ("1.50", 1.5),
        ("1e3", 1000.0),
        ("no", "no"),
        ("on", "on"),
        ("Yes", "Yes"),
        ("True", "True"),
        ("012", "012"),
        ("0x1f", "0x1f"),
        ("1_000", "1_000"),
        ("2026-03-31", "2026-03-31"),
        ("12:30", "12:30"),
        (".inf", ".inf"),
        ("1e999", "1e999"),
        (".5", ".5"),
        ("+1", "+1"),
        ("1234567890123456789", "1234567890123456789"),
        ("'7'", "7"),
        ('"true"', "true"),
        ("<<", "<<"),
    ],
)
def test_plain_scalars_are_what_they_look_like(written: str, read: Any) -> None:
    document = read_document(f"value: {written}\n", "a.yaml")

    assert document.faults == ()
    assert document.value == {"value": read}
    assert type(document.value["value"]) is type(read)


def test_every_key_and_item_has_its_line() -> None:
    document = read_document("a:\n  - b: 1\n    c: 2\n  -\n    d\ne: |\n  long\n  text\nf: [1,\n  2]\n", "a.yaml")

    assert document.value == {"a": [{"b": 1, "c": 2}, "d"], "e": "long\ntext\n", "f": [1, 2]}
    assert document.lines[("a", 0, "c")] == 3
    assert document.lines[("a", 1)] == 5
    assert document.lines[("e",)] == 6
    assert document.lines[("f", 1)] == 10


def test_fault_below_a_missing_place_has_the_line_of_the_nearest_place_above() -> None:
    document = read_document("a:\n  b:\n    c: 1\n", "a.yaml")

    fault = document.fault("X", ("a", "b", "missing", 3), "gone")

    assert (fault.line, fault.path) == (2, "a.b.missing[3]")


def test_every_duplicate_key_is_reported_and_the_first_value_stands() -> None:
    document = read_document("a: 1\nb: {x: 1, x: 2}\na: 3\n", "a.yaml")

    assert [(fault.line, fault.path) for fault in document.faults] == [(2, "b.x"), (3, "a")]
    assert document.value == {"a": 1, "b": {"x": 1}}


def test_merge_key_merges_nothing() -> None:
    assert read_document("a: {<<: {b: 1}}\n", "a.yaml").value == {"a": {"<<": {"b": 1}}}


def test_path_is_written_as_people_write_it() -> None:
    assert path_text(("gold", "tools", "must", 0, "tool")) == "gold.tools.must[0].tool"
    assert path_text((1, "id")) == "[1].id"
    assert path_text(()) == ""
