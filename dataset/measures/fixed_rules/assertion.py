"""One thing that must hold in a run: what is measured, and how it must stand to what is expected."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from dataset.artifacts.artifact import LayerName, OutputCheck
from dataset.canonical import canonical_text
from dataset.measures.observation import Evidence, observe
from dataset.measures.verdict import Relation, stands


@dataclass(frozen=True, kw_only=True)
class Assertion:
    """What must hold. `subject` names a measure of `dataset.measures.observation` with its parameters."""

    id: str
    layer: LayerName
    subject: dict[str, Any]
    relation: Relation
    expected: str
    claim: str
    """What holds when it passes, in words."""

    @cached_property
    def subject_text(self) -> str:
        """The subject as artifacts hold it: canonical JSON."""
        return canonical_text(self.subject)

    @cached_property
    def settled(self) -> dict[str, OutputCheck]:
        """What it came to by what was observed: few things ever are, in run after run."""
        return {}


def settle(assertion: Assertion, evidence: Evidence) -> OutputCheck:
    """One assertion with what was observed."""
    observed = observe(assertion.subject, evidence)
    if observed not in assertion.settled:
        assertion.settled[observed] = settle_as(assertion, observed)
    return assertion.settled[observed]


def settle_as(assertion: Assertion, observed: str) -> OutputCheck:
    """One assertion where this was observed; ArithmeticError where it can't be compared with what is expected."""
    passed = stands(assertion.relation, assertion.expected, observed)
    relation = assertion.relation.replace("_", " ")
    return OutputCheck(
        id=assertion.id,
        layer=assertion.layer,
        subject=assertion.subject_text,
        relation=assertion.relation,
        expected=assertion.expected,
        observed=observed,
        passed=passed,
        reason=assertion.claim if passed else f"not so: {assertion.claim} (expected {relation} {assertion.expected})",
    )
