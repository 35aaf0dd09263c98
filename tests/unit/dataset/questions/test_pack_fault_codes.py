"""Codes are stable and written in three places: the code, the reference, and a test that reaches each."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[4]
CODE = re.compile(r"(?:PACK-[A-Z]+|TOOL-FORBIDDEN)-\d{3}")


def codes_in(*paths: Path) -> set[str]:
    return {code for path in paths for code in CODE.findall(path.read_text())}


def raised() -> set[str]:
    return codes_in(*(ROOT / "dataset" / "questions").glob("pack_*.py"), ROOT / "dataset" / "tools" / "tool.py")


def test_reference_lists_exactly_the_codes_that_are_raised() -> None:
    assert codes_in(ROOT / "docs" / "reference" / "pack-format.md") == raised()


def test_every_code_is_reached_by_a_bad_pack() -> None:
    expected = (ROOT / "tests" / "data" / "packs" / "bad").glob("*/expected.yaml")

    assert codes_in(*expected, Path(__file__).with_name("test_bad_packs.py")) == raised()
