"""Tools that compute their reply from their arguments alone: named, versioned, the same everywhere."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal, DecimalException, localcontext
from typing import Any, Literal

from dataset.canonical import canonical_text

MAX_EXPRESSION = 400
_PRECISION = 28
_UNDERSTOOD = re.compile(r"[0-9.+\-*/() ]+", re.ASCII)


@dataclass(frozen=True, kw_only=True, slots=True)
class PureReply:
    """What a pure tool gives back, in the same form as a frozen reply."""

    status: Literal["ok", "error"]
    text: str


def decimal_calculator(arguments: Mapping[str, Any]) -> PureReply:
    """The value of `expression` (numbers, + - * / ( ) and unary minus) in decimal arithmetic of 28 digits.

    Thousands separators and × ÷ are understood. An expression that can't be computed is an error reply.
    """
    try:
        with localcontext() as context:
            context.prec = _PRECISION
            source = _readable(str(arguments["expression"]))
            value = _bounded(_evaluate(ast.parse(source, mode="eval").body, source))
            text = format(value.normalize() + 0, "f")
    except (SyntaxError, ValueError, DecimalException, RecursionError, MemoryError) as error:
        message = str(error) if isinstance(error, ValueError) else "not an expression that can be computed"
        return PureReply(status="error", text=canonical_text({"error": "calculation_failed", "message": message}))
    return PureReply(status="ok", text=canonical_text({"result": text}))


PURE_FUNCTIONS: Mapping[str, Callable[[Mapping[str, Any]], PureReply]] = {"decimal_calculator/1": decimal_calculator}
"""By name and version; a changed result is a new version."""

_OPERATORS: Mapping[type[ast.operator], Callable[[Decimal, Decimal], Decimal]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


def _readable(expression: str) -> str:
    if len(expression) > MAX_EXPRESSION:
        raise ValueError(f"expression longer than {MAX_EXPRESSION} characters")
    plain = expression.replace(",", "").replace("×", "*").replace("÷", "/").strip()
    if not _UNDERSTOOD.fullmatch(plain):
        raise ValueError("only numbers, + - * / and parentheses are understood")
    return plain


def _bounded(value: Decimal) -> Decimal:
    if value.adjusted() > _PRECISION:
        raise ValueError("the result is too large")
    return value


def _evaluate(node: ast.expr, source: str) -> Decimal:
    if isinstance(node, ast.Constant):
        # The literal's own text, since Python has already read it as binary floating point.
        return Decimal(ast.get_source_segment(source, node) or "")
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        return _OPERATORS[type(node.op)](_evaluate(node.left, source), _evaluate(node.right, source))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        inner = _evaluate(node.operand, source)
        return -inner if isinstance(node.op, ast.USub) else inner
    raise ValueError("only numbers, + - * / and parentheses are understood")
