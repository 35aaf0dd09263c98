"""`glassbench model list`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

import typer

from dataset.console import print_json, print_table

if TYPE_CHECKING:
    from engine.providers.model_entry import ModelEntry


def model_list(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """List the models of the registry."""
    from dataset.home import state_directory
    from engine.providers.registry import ModelRegistry

    registry = ModelRegistry.load(state_directory())
    if as_json:
        print_json([entry.body() for entry in registry.entries])
        return
    print_table(
        "Models",
        (
            "key",
            "name",
            "tier",
            "family",
            "channel",
            "wire API",
            "model id",
            "credential",
            "price per million (in / out)",
        ),
        [_row(entry) for entry in registry.entries],
    )


def _row(entry: ModelEntry) -> tuple[object, ...]:
    return (
        entry.key,
        f"{entry.display_name} (archived)" if entry.status == "archived" else entry.display_name,
        entry.tier,
        entry.family,
        entry.channel,
        entry.wire_api,
        model_id_text(entry),
        credential_text(entry),
        _price(entry),
    )


def model_id_text(entry: ModelEntry) -> str:
    """The model id, and whether somebody made sure of it; a scripted one has no provider who could know it."""
    if entry.synthetic:
        return entry.model_id
    return f"{entry.model_id} ({'verified' if entry.verified else 'unverified'})"


def credential_text(entry: ModelEntry) -> str:
    """Where the model's key is, never what it is."""
    if entry.stored_credential:
        return "in the credential store"
    if entry.credential_env is None:
        return "none needed"
    return f"{entry.credential_env} ({'set' if os.environ.get(entry.credential_env) else 'not set'})"


def _price(entry: ModelEntry) -> str | None:
    price = entry.price
    if price is None:
        return None
    varies = " and more" if price.tiers or price.hours else ""
    return f"{price.input_per_million} / {price.output_per_million}{varies} {price.currency}, {price.as_of}"
