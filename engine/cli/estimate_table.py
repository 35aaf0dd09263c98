"""How an estimate is shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dataset.console import print_table
from engine.batches.estimate import UNKNOWN_COST, Estimate, cost_text

if TYPE_CHECKING:
    from engine.providers.model_entry import ModelEntry


def print_estimate(
    bounds: Sequence[Estimate], entries: Mapping[str, ModelEntry], *, title: str = "This batch takes at most"
) -> None:
    """A table of upper bounds, model by model, and who would be asked. `entries` by model key."""
    from engine.preflight.paid import host_of

    print_table(
        title,
        ("model", "host", "model id", "#runs", "#model calls", "#input tokens", "#output tokens", "#cost"),
        [
            (
                e.model_key,
                host_of(entries[e.model_key]),
                entries[e.model_key].model_id,
                e.runs,
                f"{e.calls:,}",
                f"{e.input_tokens:,}",
                tokens_text(e),
                most_text(e, scripted=entries[e.model_key].synthetic),
            )
            for e in bounds
        ],
    )


def tokens_text(bound: Estimate) -> str:
    """The most output tokens."""
    return "no limit" if bound.output_tokens is None else f"{bound.output_tokens:,}"


def most_text(bound: Estimate, *, scripted: bool = False) -> str:
    """The most it can cost; an unknown cost is said to be that, with its reason."""
    if bound.cost is None:
        return cost_text({}, f"{UNKNOWN_COST}: {bound.cost_reason}")
    return cost_text({bound.cost.currency: bound.cost.amount}, scripted=scripted)


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
