"""The verdicts of a chain of guards as a row of marks: one for each guard in its fixed order, also where none is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from markupsafe import Markup

from dataset.artifacts.artifact import GuardrailCheck
from dataset.measures.guard_order import CALL_GUARDS, MODEL_GATES, OBSERVATION_GUARDS, RESPONSE_GUARDS
from publisher.rendering.visible_text import marked_up

Ruling = Literal["allow", "deny", "rewrite", "skipped"]
SIGNS: Mapping[Ruling, str] = {"allow": "✓", "deny": "✗", "rewrite": "✎", "skipped": "–"}
"""`skipped`: an earlier guard had denied, so that this one was never asked."""
GATES = MODEL_GATES
CALLS = tuple(dict.fromkeys((*CALL_GUARDS, *OBSERVATION_GUARDS)))
ANSWERS = RESPONSE_GUARDS
_WORST: Sequence[Ruling] = ("deny", "rewrite", "allow")


@dataclass(frozen=True, kw_only=True, slots=True)
class NumberedVerdict:
    """One verdict under its place in the artifact, from 1, which names it in links; texts ready to be printed."""

    number: int
    check: GuardrailCheck
    guard: Markup
    code: Markup | None
    detail: Markup
    sign: str


@dataclass(frozen=True, kw_only=True, slots=True)
class GuardMark:
    """What one guard came to; the worst of its verdicts where it was asked more than once."""

    guard: str
    ruling: Ruling

    @property
    def sign(self) -> str:
        """The sign of what it came to."""
        return SIGNS[self.ruling]


@dataclass(frozen=True, kw_only=True, slots=True)
class GuardChain:
    """The marks in the order of the chain, and every verdict in the order in which it was given. `decisive` is the
    first that denied, else the first that rewrote; null where all allowed."""

    marks: tuple[GuardMark, ...]
    skipped: tuple[GuardMark, ...]
    """Those that were never asked."""
    verdicts: tuple[NumberedVerdict, ...]
    decisive: NumberedVerdict | None


def numbered(checks: Iterable[GuardrailCheck]) -> tuple[NumberedVerdict, ...]:
    """Every check of an artifact under its number."""
    return tuple(
        NumberedVerdict(
            number=number,
            check=check,
            guard=marked_up(check.guard),
            code=None if check.code is None else marked_up(check.code),
            detail=marked_up(check.detail),
            sign=SIGNS[check.verdict],
        )
        for number, check in enumerate(checks, start=1)
    )


def guard_chain(order: Sequence[str], verdicts: Sequence[NumberedVerdict]) -> GuardChain | None:
    """The chain over these verdicts; None where there is none. A guard outside of the order (one that stands in for
    a rule that broke) comes after it."""
    if not verdicts:
        return None
    rulings: dict[str, list[Ruling]] = {guard: [] for guard in order}
    for verdict in verdicts:
        rulings.setdefault(verdict.check.guard, []).append(verdict.check.verdict)
    marks = tuple(GuardMark(guard=guard, ruling=_worst(found)) for guard, found in rulings.items())
    return GuardChain(
        marks=marks,
        skipped=tuple(mark for mark in marks if mark.ruling == "skipped"),
        verdicts=tuple(verdicts),
        decisive=_decisive(verdicts),
    )


def _worst(rulings: Sequence[Ruling]) -> Ruling:
    return next((ruling for ruling in _WORST if ruling in rulings), "skipped")


def _decisive(verdicts: Sequence[NumberedVerdict]) -> NumberedVerdict | None:
    for ruling in ("deny", "rewrite"):
        for verdict in verdicts:
            if verdict.check.verdict == ruling:
                return verdict
    return None
