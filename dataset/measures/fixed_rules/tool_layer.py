"""Tool layer of `fixed-rules-v1`: the calls that were made against the gold."""

from __future__ import annotations

from typing import Any

from dataset.measures.fixed_rules.assertion import Assertion
from dataset.questions.gold import CallPattern, Gold


def tool_assertions(gold: Gold) -> list[Assertion]:
    """Calls that must and must not be seen, their order, and how many there may be."""
    tools = gold.tools
    found = [_must(index, pattern) for index, pattern in enumerate(tools.must, start=1)]
    found += [
        Assertion(
            id=f"tool.must-not.{name}",
            layer="tool",
            subject={"measure": "tool_calls", "tool": name, "arguments": {}, "outcome": "attempted"},
            relation="at_most",
            expected="0",
            claim=f"{name} is never called",
        )
        for name in tools.must_not
    ]
    if tools.ordered and len(tools.must) > 1:
        found.append(_order(tools.must))
    if tools.only:
        found.append(_only(sorted({pattern.tool for pattern in tools.must} | set(tools.may))))
    if tools.max_calls is not None:
        found.append(_at_most(tools.max_calls))
    return found


def _arguments(pattern: CallPattern) -> dict[str, list[Any]]:
    return {
        name: [list(v) if isinstance(v, tuple) else v for v in allowed.any_of]
        for name, allowed in sorted(pattern.arguments.items())
    }


def _must(index: int, pattern: CallPattern) -> Assertion:
    arguments = _arguments(pattern)
    with_arguments = f" with the right {', '.join(arguments)}" if arguments else ""
    return Assertion(
        id=f"tool.must.{index}-{pattern.tool}",
        layer="tool",
        subject={
            "measure": "tool_calls",
            "tool": pattern.tool,
            "arguments": arguments,
            "outcome": pattern.outcome,
        },
        relation="at_least",
        expected=str(pattern.at_least),
        claim=f"{pattern.tool} is {pattern.outcome}{with_arguments}",
    )


def _order(patterns: tuple[CallPattern, ...]) -> Assertion:
    return Assertion(
        id="tool.order",
        layer="tool",
        subject={"measure": "call_order", "calls": [{"tool": p.tool, "arguments": _arguments(p)} for p in patterns]},
        relation="equals",
        expected="in order",
        claim="calls come in the order " + " → ".join(p.tool for p in patterns),
    )


def _only(allowed: list[str]) -> Assertion:
    return Assertion(
        id="tool.only",
        layer="tool",
        subject={"measure": "calls_outside", "tools": allowed},
        relation="at_most",
        expected="0",
        claim="no tool is called beyond " + (", ".join(allowed) or "none at all"),
    )


def _at_most(most: int) -> Assertion:
    return Assertion(
        id="tool.max-calls",
        layer="tool",
        subject={"measure": "call_count"},
        relation="at_most",
        expected=str(most),
        claim=f"at most {most} calls are made",
    )
