"""A policy as a table: one line for each scope that it limits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dataset.console import print_table

if TYPE_CHECKING:
    from engine.ledger.policy import Policy, ScopeLimits


def print_policy(policy: Policy) -> None:
    """The limits, an empty cell where there is none, and the settings below them."""
    named = {"provider": policy.provider, "model": policy.model, "batch": policy.batch}
    rows = [
        ("global", policy.everything),
        *((f"{kind} {name}", limits) for kind, held in named.items() for name, limits in sorted(held.items())),
    ]
    print_table(
        "",
        ("scope", "#concurrency", "#requests/min", "#tokens/min", "#requests", "#tokens", f"#cost {policy.currency}"),
        [(scope, *_cells(limits)) for scope, limits in rows],
    )
    print(
        f"at most {policy.backlog} unfinished batches; {policy.quantum} runs a slice, "
        f"tried at most {policy.slice_attempts} times"
    )


def _cells(limits: ScopeLimits) -> list[object]:
    given = dict(limits.given())
    return [given.get(name) for name in type(limits).model_fields]  # type: ignore[call-overload]
