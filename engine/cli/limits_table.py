"""A policy as a table: one line for each scope that it limits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, assert_never

from dataset.console import counted, print_table

if TYPE_CHECKING:
    from decimal import Decimal

    from dataset.artifacts.definition import FrozenModel
    from dataset.store.attempt import LimitName, Scope
    from engine.ledger.policy import Policy, ScopeLimits
    from engine.ledger.terms import Terms


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
        f"at most {counted(policy.backlog, 'unfinished batch', 'unfinished batches')}; "
        f"{counted(policy.quantum, 'run')} a slice, tried at most {counted(policy.slice_attempts, 'time')}"
    )


def print_limits(batch_id: str, models: Sequence[FrozenModel], terms: Terms) -> None:
    """A line for each scope with limits that hold for calls of these models; what is used already counts."""
    lines = list(limit_lines(batch_id, models, terms))
    for line in lines or ["limits: none but these numbers; `batch create --max-cost` and policies set some"]:
        print(line)


def limit_lines(batch_id: str, models: Sequence[FrozenModel], terms: Terms) -> Iterator[str]:
    """Each scope with a limit, and its limits."""
    from dataset.store.attempt import scopes_of

    scopes: dict[Scope, None] = {}
    for model in models:
        scopes |= dict.fromkeys(scopes_of(model.provider, model.key, batch_id))
    for scope in scopes:
        given = terms.effective_limits(scope).given()
        if given:
            told = ", ".join(_told(name, most, terms.policy.currency) for name, most in given)
            yield f"never more than {told}: limit of {scope}"


def _told(name: LimitName, most: int | Decimal, currency: str) -> str:
    match name:
        case "cost":
            return f"{most} {currency}"
        case "concurrency":
            return f"{counted(int(most), 'call')} at once"
        case "requests" | "requests_per_minute":
            return counted(int(most), "request") + (" a minute" if name == "requests_per_minute" else "")
        case "tokens" | "tokens_per_minute":
            return counted(int(most), "token") + (" a minute" if name == "tokens_per_minute" else "")
        case _:
            assert_never(name)


def _cells(limits: ScopeLimits) -> list[object]:
    given = dict(limits.given())
    return [given.get(name) for name in type(limits).model_fields]  # type: ignore[call-overload]
