"""A judge turns a gold into assertions and settles each from the evidence alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from dataset.artifacts.artifact import JudgmentSection, LayerName, OutputCheck
from dataset.canonical import canonical_text
from dataset.measures.observation import Evidence, observe
from dataset.measures.verdict import Relation, stands
from dataset.questions.gold import Gold


@dataclass(frozen=True, kw_only=True, slots=True)
class Assertion:
    """What must hold. `subject` names a measure of `dataset.measures.observation` with its parameters."""

    id: str
    layer: LayerName
    subject: dict[str, Any]
    relation: Relation
    expected: str
    claim: str
    """What holds when it passes, in words."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Judged:
    """Every settled assertion and the verdict that follows from them."""

    checks: tuple[OutputCheck, ...]
    judgment: JudgmentSection


class Judge(Protocol):
    """Returns a verdict or raises; it never turns a fault of its own into a score."""

    version: str

    def judge(self, gold: Gold, evidence: Evidence) -> Judged:
        """The settled assertions and the verdict."""
        ...


def settle(assertion: Assertion, evidence: Evidence) -> OutputCheck:
    """One assertion with what was observed."""
    observed = observe(assertion.subject, evidence)
    passed = stands(assertion.relation, assertion.expected, observed)
    relation = assertion.relation.replace("_", " ")
    return OutputCheck(
        id=assertion.id,
        layer=assertion.layer,
        subject=canonical_text(assertion.subject),
        relation=assertion.relation,
        expected=assertion.expected,
        observed=observed,
        passed=passed,
        reason=assertion.claim if passed else f"not so: {assertion.claim} (expected {relation} {assertion.expected})",
    )
