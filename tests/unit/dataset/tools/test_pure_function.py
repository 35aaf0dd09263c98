"""The calculator: exact decimals, and nothing that an expression can do to the machine."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dataset.tools.pure_function import MAX_EXPRESSION, PURE_FUNCTIONS, decimal_calculator


def computed(expression: str) -> str:
    reply = decimal_calculator({"expression": expression})
    assert reply.status == "ok", reply.text
    return str(json.loads(reply.text)["result"])


@pytest.mark.parametrize(
    ("expression", "result"),
    [
        ("0.1+0.2", "0.3"),
        ("1,234.50 * 2", "2469"),
        ("100 ÷ 8 × 2", "25"),
        ("-(2 - 5) * +4", "12"),
        ("1/3", "0.3333333333333333333333333333"),
        ("2 - 2", "0"),
        ("-0", "0"),
        ("1000000 * 1000000", "1000000000000"),
        ("12.3400", "12.34"),
        ("  7 ", "7"),
    ],
)
def test_results_are_exact_decimals_in_plain_notation(expression: str, result: str) -> None:
    assert computed(expression) == result


HOSTILE = [
    "",
    " ",
    "__import__('os').system('true')",
    "().__class__",
    "open('/etc/passwd')",
    "9**9**9**9",
    "1 // 2",
    "7 % 2",
    "1 << 999",
    "True + 1",
    "1 if 2 else 3",
    "1if 2else 3",
    "[1]*10",
    "'1'*9",
    "0x1F",
    "1j",
    "1_000",
    "...",
    "1;2",
    "x := 1",
    "lambda: 1",
    "1 (2)",
    "(1, 2)",
    "1 2",
    "1/0",
    "0/0",
    "nan",
    "Infinity",
    "1" * (MAX_EXPRESSION + 1),
    "(" * 200 + "1" + ")" * 200,
    "(" * 390,
    "9" * 100 + "*" + "9" * 100,
    "１+１",
    "1\x00",
    "1 # c",
    "\ud800",
]


@pytest.mark.parametrize("expression", HOSTILE)
def test_everything_else_is_an_error_reply(expression: str) -> None:
    reply = decimal_calculator({"expression": expression})
    assert reply.status == "error"
    assert json.loads(reply.text)["error"] == "calculation_failed"
    assert len(reply.text) < 200


@given(st.text(alphabet="0123456789.eE+-*/() ,", max_size=60))
def test_any_arithmetic_looking_text_is_answered_shortly_and_twice_the_same(expression: str) -> None:
    reply = decimal_calculator({"expression": expression})
    assert reply == decimal_calculator({"expression": expression})
    assert len(reply.text) < 200
    if reply.status == "ok":
        assert Decimal(json.loads(reply.text)["result"]).is_finite()


def test_long_chains_of_signs_are_computed_or_refused_but_never_break() -> None:
    assert decimal_calculator({"expression": "-" * (MAX_EXPRESSION - 1) + "1"}).status in ("ok", "error")


def test_functions_are_named_with_their_version() -> None:
    assert list(PURE_FUNCTIONS) == ["decimal_calculator/1"]
