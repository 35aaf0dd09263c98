"""From observations to a verdict: the only place where passing is decided."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Literal

from dataset.artifacts.artifact import LAYERS, JudgmentSection, LayerName, LayerVerdict, OutputCheck, ResultSection
from dataset.measures.truncation import OUTPUT_TRUNCATED, is_truncated

Relation = Literal["equals", "at_least", "at_most"]
INVALID_STATUSES = ("provider_failed", "harness_failed", "cancelled")
"""Runs that broke for a reason that isn't the model's: in the denominator, never a score. A reply that the output limit
cut off is `provider_failed` too, but the model's own doing."""


def stands(relation: Relation, expected: str, observed: str) -> bool:
    """Whether `observed` stands in `relation` to `expected`."""
    if relation == "equals":
        return observed == expected
    if relation == "at_least":
        return Decimal(observed) >= Decimal(expected)
    return Decimal(observed) <= Decimal(expected)


def derive_judgment(judge_version: str, result: ResultSection, checks: Sequence[OutputCheck]) -> JudgmentSection:
    """The judgment that follows from the result and the assertions.

    `invalid` where the run broke for a reason that isn't the model's; `fail` where the output limit cut its reply off;
    else `pass` where there is at least one assertion and every assertion passed; else `fail`. A failed run has the
    reason `output_truncated`, where it was cut off, and the id of each assertion that didn't pass.
    """
    layers: dict[LayerName, LayerVerdict] = {layer: _layer_verdict(layer, checks) for layer in LAYERS}
    failed = tuple(check.id for check in checks if not check.passed)
    cut_off = (OUTPUT_TRUNCATED,) if is_truncated(result) else ()
    if result.status in INVALID_STATUSES and not cut_off:
        reason = result.error.code if result.error else result.status
        return JudgmentSection(
            judge_version=judge_version, verdict="invalid", layers=layers, failure_reasons=(), invalid_reason=reason
        )
    return JudgmentSection(
        judge_version=judge_version,
        verdict="pass" if checks and not failed and not cut_off else "fail",
        layers=layers,
        failure_reasons=(*cut_off, *failed),
        invalid_reason=None,
    )


def _layer_verdict(layer: LayerName, checks: Sequence[OutputCheck]) -> LayerVerdict:
    own = [check.passed for check in checks if check.layer == layer]
    if not own:
        return "none"
    return "pass" if all(own) else "fail"
