"""A chain of guards is a row of marks: always the same ones in the same order."""

from __future__ import annotations

from typing import Literal

from dataset.artifacts.artifact import GuardrailCheck
from publisher.rendering.runs.guard_marks import CALLS, SIGNS, guard_chain, numbered


def check(guard: str, verdict: Literal["allow", "deny", "rewrite"] = "allow") -> GuardrailCheck:
    code = None if verdict == "allow" else f"{guard}-X-001"
    return GuardrailCheck(
        point="tool_call", step=1, call_id="c", guard=guard, verdict=verdict, code=code, detail="because"
    )


def rulings(*checks: GuardrailCheck) -> list[tuple[str, str]]:
    chain = guard_chain(CALLS, numbered(checks))
    assert chain is not None
    return [(mark.guard, mark.ruling) for mark in chain.marks]


def test_a_call_has_seven_marks_in_the_order_of_the_chain() -> None:
    assert CALLS == ("G1", "G2", "G3", "G4", "G5", "G6", "G7")
    whole = [check(guard) for guard in (*CALLS, "G7")]
    assert rulings(*whole) == [(guard, "allow") for guard in CALLS]


def test_guards_after_the_one_that_denied_were_not_reached() -> None:
    chain = guard_chain(CALLS, numbered([check("G1"), check("G2"), check("G3", "deny")]))
    assert chain is not None
    assert [mark.guard for mark in chain.skipped] == ["G4", "G5", "G6", "G7"]
    assert rulings(check("G1"), check("G2"), check("G3", "deny")) == [
        ("G1", "allow"),
        ("G2", "allow"),
        ("G3", "deny"),
        *((guard, "skipped") for guard in ("G4", "G5", "G6", "G7")),
    ]


def test_a_guard_that_was_asked_twice_shows_its_worst_verdict() -> None:
    assert rulings(check("G7"), check("G7", "rewrite"))[-1] == ("G7", "rewrite")


def test_a_guard_outside_of_the_chain_has_a_mark_of_its_own_behind_it() -> None:
    assert rulings(check("G0", "deny"))[-1] == ("G0", "deny")
    assert len(rulings(check("G0", "deny"))) == 8


def test_the_first_denial_decides_then_the_first_rewrite() -> None:
    chain = guard_chain(CALLS, numbered([check("G1", "rewrite"), check("G3", "deny")]))
    assert chain is not None
    assert chain.decisive is not None
    assert (chain.decisive.number, chain.decisive.code) == (2, "G3-X-001")
    allowed = guard_chain(CALLS, numbered([check("G1")]))
    assert allowed is not None
    assert allowed.decisive is None


def test_no_verdict_is_no_row_and_each_ruling_has_a_sign_of_its_own() -> None:
    assert guard_chain(CALLS, ()) is None
    assert len(set(SIGNS.values())) == len(SIGNS) == 4
