"""The key of what files follow from is the same for equal values, and another one for any others."""

from __future__ import annotations

import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import pytest

from publisher.rendering.building.content_key import content_key
from publisher.rendering.language.message import Message
from tests.factories.bank import make_model

_PRINT_KEY = """
from publisher.rendering.building.content_key import content_key
print(content_key({"runs": {"b", "a", "d", "c"}}, frozenset({"x", "y", "z"})))
"""


def test_sets_are_told_in_the_same_order_by_every_process() -> None:
    keys = {
        subprocess.run(
            [sys.executable, "-c", _PRINT_KEY],
            cwd=Path(__file__).parents[5],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "2", "3")
    }
    assert len(keys) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"a"}, {"b"}),
        ({"a"}, ["a"]),
        (Decimal("1.0"), Decimal("1.00")),
        (Decimal(1), "1"),
        (b"a", b"b"),
        (b"a", "a"),
        (b"\xff", b"\xfe"),
        (Message("%(count)s runs", count=1), Message("%(count)s runs", count=2)),
        (make_model("careful"), make_model("careless")),
    ],
)
def test_values_that_differ_in_kind_or_content_have_keys_of_their_own(one: object, other: object) -> None:
    assert content_key(one) == content_key(one)
    assert content_key(one) != content_key(other)


def test_what_has_no_text_of_its_own_is_refused() -> None:
    with pytest.raises(TypeError):
        content_key(object())
