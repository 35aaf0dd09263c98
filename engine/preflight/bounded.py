"""Whether every call of a batch can be bounded as its hard limits need; if not, every run would be given up."""

from __future__ import annotations

from collections.abc import Sequence

from dataset.artifacts.artifact import Cost
from dataset.artifacts.definition import BatchDefinition, FrozenModel
from dataset.measures.exchange import convert
from dataset.measures.giving_up import NOT_BOUNDED
from dataset.record import BatchId
from dataset.store.attempt import LimitName, scopes_of
from engine.ledger.terms import Terms
from engine.preflight.errors import PreflightError, one_error

NEEDS_A_BOUND = ("tokens_per_minute", "tokens", "cost")


def require_bounded(definition: BatchDefinition, batch_id: BatchId, terms: Terms) -> None:
    """Returns where the limits that hold can be kept for each model; one PreflightError for all that can't."""
    if definition.replay_of is not None:
        return
    faults = [fault for model in definition.models for fault in _unbounded(model, definition, batch_id, terms)]
    if faults:
        raise one_error(faults)


def _unbounded(
    model: FrozenModel, definition: BatchDefinition, batch_id: BatchId, terms: Terms
) -> Sequence[PreflightError]:
    """What forbids to call the model: at most the first limit that can't be kept."""
    for scope in scopes_of(model.provider, model.key, batch_id):
        for name, most in terms.effective_limits(scope).given():
            missing = _missing(name, model, definition, terms) if most and name in NEEDS_A_BOUND else None
            if missing is not None:
                why, mend = missing
                told = f"model {model.key}: the limit on {name.replace('_', ' ')} of {scope} can't be kept: {why}"
                return [PreflightError(told, code=NOT_BOUNDED, hint=mend)]
    return []


def _missing(limit: LimitName, model: FrozenModel, definition: BatchDefinition, terms: Terms) -> tuple[str, str] | None:
    """Why nothing bounds what a call takes of the limit, and what mends that."""
    if limit == "cost" and model.synthetic:
        return None
    if definition.template.max_output_tokens is None:
        return "its template has no max_output_tokens", "choose another template, or leave the limit out"
    if limit != "cost":
        if terms.input_reservation is not None:
            return None
        return "the batch reserves no input", "create the batch anew"
    if model.price is None:
        return "the model has no price", "give it a dated price in `models.toml`, or leave the limit out"
    nothing = Cost(amount="0", currency=model.price.currency)
    _, why = convert(nothing, terms.policy.currency, terms.rates)
    return (why, "add that rate to `models.toml`, or leave the limit out") if why else None
