"""How an estimate is shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dataset.console import print_table
from engine.batches.estimate import Estimate


def print_estimate(bounds: Sequence[Estimate]) -> None:
    """A table of upper bounds, model by model."""
    print_table(
        "This batch takes at most",
        ("model", "#runs", "#model calls", "#input tokens", "#output tokens", "#cost"),
        [
            (
                e.model_key,
                e.runs,
                e.calls,
                f"{e.input_tokens:,}",
                "no limit" if e.output_tokens is None else f"{e.output_tokens:,}",
                f"{e.cost.amount} {e.cost.currency}" if e.cost else f"unknown: {e.cost_reason}",
            )
            for e in bounds
        ],
    )


def estimate_json(bounds: Sequence[Estimate]) -> list[dict[str, Any]]:
    """The same for machines."""
    return [
        {
            "model": e.model_key,
            "runs": e.runs,
            "calls": e.calls,
            "input_tokens": e.input_tokens,
            "output_tokens": e.output_tokens,
            "cost": e.cost.body() if e.cost else None,
            "cost_reason": e.cost_reason,
        }
        for e in bounds
    ]
