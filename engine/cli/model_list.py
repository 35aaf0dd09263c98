"""`glassbench model list`."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from dataset.console import print_json, print_table


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
        ("key", "name", "family", "wire API", "model id", "credential", "price per million (in / out)"),
        [
            (
                entry.key,
                entry.display_name,
                entry.family,
                entry.wire_api,
                entry.model_id,
                _credential(entry.credential_env),
                f"{entry.price.input_per_million} / {entry.price.output_per_million} {entry.price.currency}"
                if entry.price
                else None,
            )
            for entry in registry.entries
        ],
    )


def _credential(variable: str | None) -> str:
    if variable is None:
        return "none needed"
    return f"{variable} ({'set' if os.environ.get(variable) else 'not set'})"
