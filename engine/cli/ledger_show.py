"""`glassbench ledger show`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dataset.console import counted, print_json, print_table

if TYPE_CHECKING:
    from dataset.store.attempt import AttemptRow
    from dataset.store.ledger_rows import ScopeTotals, Spent
    from dataset.store.policies import StoredPolicy
    from engine.ledger.terms import Terms

STATES = {
    "reserved": "reserved",
    "send_started": "sent",
    "settled_actual": "settled",
    "settled_conservative": "settled in full",
    "released_pre_send": "released",
}
"""How a table says the states of an attempt; docs/reference/ledger.md explains both."""

ROLES = {"candidate": "models under test", "judge": "judges", "canary": "canaries"}
"""Who asked, in the order of `AttemptRole`."""


def ledger_show(
    batch: Annotated[str | None, typer.Option("--batch", help="Only attempts of this batch.")] = None,
    model: Annotated[str | None, typer.Option("--model", help="Only attempts of this model.")] = None,
    run: Annotated[str | None, typer.Option("--run", help="Only attempts of this run.")] = None,
    newest: Annotated[int, typer.Option("--newest", min=0, help="How many attempts the table lists.")] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, with every attempt.")] = False,
) -> None:
    """Show attempts, what they cost, and what is left of every limit."""
    from dataset.home import state_directory
    from dataset.record import BatchId, RunId
    from dataset.store.batches import get_batch
    from dataset.store.ledger_rows import count_attempts, list_attempts, scope_totals, spent_by_role, touched_scopes
    from dataset.store.policies import active_policy
    from dataset.store.runs import artifact_bytes
    from dataset.store.session import open_database
    from engine.providers.registry import ModelRegistry

    wanted: dict[str, Any] = {"batch_id": batch, "model_key": model, "run_id": run}
    with open_database() as database:
        own_terms = get_batch(database, BatchId(batch)).terms if batch else None
        if run:
            artifact_bytes(database, RunId(run))  # an unknown run is an error, not an empty list
        with database.transaction() as connection:
            stored = active_policy(connection)
            count = count_attempts(connection, **wanted)
            attempts = list_attempts(connection, newest=None if as_json else newest, **wanted)
            spent = spent_by_role(connection, **wanted)
            touched = touched_scopes(connection, **wanted) if any(wanted.values()) else None
            totals = scope_totals(connection, touched)
    if model and not count:
        ModelRegistry.load(state_directory()).find(model)  # an unknown model is an error, not an empty list
    terms = _terms(own_terms, batch, stored)
    if as_json:
        print_json(_document(attempts, totals, spent, terms))
        return
    if not count:
        print("no attempt matches" if touched is not None else "the ledger is empty: no call has been asked for yet")
        return
    _print_attempts(attempts, count)
    if len(attempts) < count:
        print(f"{counted(count - len(attempts), 'older attempt')} not listed → --newest {count} lists all, --json too")
    _print_spent(spent)
    _print_totals(totals if touched is not None else [t for t in totals if t.scope.kind != "batch"], terms)
    whose = f"those that batch {batch} was created under" if own_terms else "the active policy's"
    print(f"limits are {whose} (policy {terms.policy_hash[:12]}…)")
    if touched is None:
        print("→ `glassbench ledger show --batch ID` shows a batch of its own")


def _terms(own: bytes | None, batch: str | None, active: StoredPolicy | None) -> Terms:
    """Those of the batch that is shown, else the active policy's."""
    from engine.ledger.policy import DEFAULT_POLICY, Policy
    from engine.ledger.terms import Terms

    if own:
        return Terms.of_content(own, batch_id=batch or "")
    return Terms(policy=Policy.of_content(active.content) if active else DEFAULT_POLICY)


def _print_attempts(attempts: Sequence[AttemptRow], count: int) -> None:
    title = counted(count, "attempt")
    if len(attempts) != count:
        title = f"the newest {len(attempts)} of {title}"
    print_table(
        title,
        ("attempt", "state", "#tokens", "#cost", "result", "at (UTC)", "#s"),
        [
            (
                f"{row.call_key}#{row.ordinal}",
                STATES[row.state] if row.role == "candidate" else f"{row.role}, {STATES[row.state]}",
                _of(_sum(row.actual_input, row.actual_output), _sum(row.reserved_input, row.reserved_output)),
                _cost(row),
                row.code or row.status,
                f"{row.reserved_at:%m-%d %H:%M:%S}",
                f"{(row.ended_at - row.reserved_at).total_seconds():.1f}" if row.ended_at else None,
            )
            for row in attempts
        ],
    )


def _print_spent(spent: Sequence[Spent]) -> None:
    print_table(
        "what was sent and has ended",
        ("by", "#attempts", "#cost", "#of unknown cost"),
        [
            (
                ROLES[s.role],
                s.attempts,
                None if s.cost is None else paid(s.cost, s.currency),
                s.unpriced or None,
            )
            for s in spent
        ],
    )


def _print_totals(totals: Sequence[ScopeTotals], terms: Terms) -> None:
    rows = [
        (str(found.scope), what, settled, reserved, limit, left)
        for found in totals
        for what, settled, reserved, limit, left in _lines(found, terms)
    ]
    print_table("totals and limits", ("scope", "what", "#settled", "#reserved", "#limit", "#left"), rows)
    for found in totals:
        if found.overdrawn:
            print(f"{found.scope} is overdrawn: an attempt used more than it had reserved")


def _lines(found: ScopeTotals, terms: Terms) -> list[tuple[str, str | None, str, str | None, str | None]]:
    """What a scope has used for its whole life, and its rates where they are limited."""
    state, limits = found.state, dict(terms.effective_limits(found.scope).given())
    used: list[tuple[str, str, Any, Any]] = [
        ("concurrency", "calls at once", None, state.active),
        ("requests_per_minute", "requests this minute", None, state.minute_requests),
        ("tokens_per_minute", "tokens this minute", None, state.minute_tokens),
        ("requests", "requests", state.requests - state.active, state.active),
        ("tokens", "tokens", state.tokens - state.reserved_tokens, state.reserved_tokens),
        ("cost", f"cost {terms.policy.currency}", state.charge - state.reserved_charge, state.reserved_charge),
    ]
    return [
        (
            what,
            None if settled is None else amount(settled),
            amount(reserved),
            None if name not in limits else amount(limits[name]),
            None if name not in limits else amount(max(0, limits[name] - reserved - (settled or 0))),
        )
        for name, what, settled, reserved in used
        if name in limits or settled is not None
    ]


def amount(number: Any) -> str:
    """A count or an amount of money, exact, without trailing zeros."""
    from decimal import Decimal

    from dataset.measures.cost import amount_text

    return amount_text(Decimal(number))


NOTHING_PAID = "nothing paid"


def paid(cost: Any, currency: str | None) -> str:
    """What an attempt or several have cost. Zero is said as what it is: money that nobody paid, since the model is
    scripted or the provider doesn't bill it; what such a run costs at a frozen price is another number, and may be
    unknown."""
    return f"{amount(cost)} {currency}" if cost else NOTHING_PAID


def _sum(one: int | None, other: int | None) -> int | None:
    return None if one is None and other is None else (one or 0) + (other or 0)


def _of(actual: object, reserved: object) -> str | None:
    if actual is None and reserved is None:
        return None
    return f"{'–' if actual is None else actual}/{'–' if reserved is None else reserved}"


def _cost(row: AttemptRow) -> str | None:
    if row.actual_cost is not None and not row.actual_cost:
        return NOTHING_PAID
    told = _of(*(None if cost is None else amount(cost) for cost in (row.actual_cost, row.reserved_cost)))
    return f"{told} {row.currency}" if told else None


def _document(
    attempts: Sequence[AttemptRow], totals: Sequence[ScopeTotals], spent: Sequence[Spent], terms: Terms
) -> dict[str, Any]:
    from dataclasses import asdict

    return {
        "policy": terms.policy_hash,
        "currency": terms.policy.currency,
        "attempts": [_plain(asdict(row)) for row in attempts],
        "spent": [_plain(asdict(part)) for part in spent],
        "scopes": [
            {
                "kind": found.scope.kind,
                "key": found.scope.key,
                "overdrawn": found.overdrawn,
                **_plain(asdict(found.state)),
                "limits": _plain(dict(terms.effective_limits(found.scope).given())),
            }
            for found in totals
        ],
    }


def _plain(values: dict[Any, Any]) -> dict[str, Any]:
    """Money as exact text and times as records write them."""
    from datetime import datetime
    from decimal import Decimal

    from engine.telemetry.clock import utc_text

    def plain(value: Any) -> Any:
        if isinstance(value, Decimal):
            return amount(value)
        return utc_text(value) if isinstance(value, datetime) else value

    return {name: plain(value) for name, value in values.items()}
