from __future__ import annotations

import re

from dataset.questions.pack_fault import PackFault
from engine.cli.withheld_lines import Parts, fault_json, fault_lines, withheld_json, withheld_lines

PASTED = re.compile(r"salt: '[0-9a-f]{32}'")


def fault(code: str) -> PackFault:
    return PackFault(code=code, file="cases/a.yaml", line=3, path="question.salt", message="no salt")


def test_cases_with_the_same_parts_are_one_line() -> None:
    parts: Parts = {"a": ("context",), "b": ("steps", "result"), "c": ("context",), "d": ()}
    assert withheld_lines(parts) == ["withheld: context of 2 of 4 cases", "withheld: steps, result of 1 of 4 cases"]
    assert withheld_json(parts) == {"withheld": {"a": ["context"], "b": ["steps", "result"], "c": ["context"]}}


def test_where_all_is_published_nothing_is_said() -> None:
    assert withheld_lines({"a": (), "b": ()}) == []
    assert withheld_json({"a": ()}) == {}


def test_a_missing_salt_comes_with_a_fresh_one_to_paste() -> None:
    first, second = (fault_lines(fault("PACK-WITHHELD-001"))[1] for _ in range(2))
    assert PASTED.search(first)
    assert first != second
    assert PASTED.fullmatch(fault_json(fault("PACK-WITHHELD-002"))["paste"])


def test_another_fault_has_nothing_to_paste() -> None:
    other = fault("PACK-WITHHELD-003")
    assert fault_lines(other) == [str(other)]
    assert fault_json(other) == other.body()
