"""How a batch stands besides its verdicts: what is wanted and why, its slices, what it has spent and what is left."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, assert_never

from dataset.console import counted, print_table
from engine.cli.ledger_show import ROLES, STATES, amount, paid

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dataset.store.batch_control import Wish
    from dataset.store.batch_figures import BatchFigures
    from dataset.store.batches import BatchRow
    from dataset.store.ledger_rows import ScopeTotals, Spent
    from dataset.store.session import Database
    from engine.ledger.terms import Terms

SLICE_WORDS = {"open": "open", "leased": "in hand", "done": "done", "dead": "given up"}
ADVICE = {
    "BATCH-MODEL-002": "mend the model's entry, its key or its server",
    "LEDGER-DRIFT-001": "`glassbench ledger audit` lists every difference; admission is closed until then",
    "LEDGER-POLICY-001": "a stored policy was changed behind Glassbench's back: restore the database",
    "LEDGER-DENY-001": "its policy denies the call, for good: create the batch anew under another policy",
    "LEDGER-CURRENCY-001": "the active policy counts in another currency: create the batch anew under it",
    "LEDGER-KEY-001": "this is a fault of Glassbench: keep the output of `glassbench ledger show --batch`",
}
"""What to do about a rule that paused a batch."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Standing:
    """Everything that is shown. `held`: slices in the hands of workers that live; `again`: runs that were planned again
    and aren't recorded yet; `cancelled`: its owner ended it."""

    figures: BatchFigures
    spent: Sequence[Spent]
    totals: ScopeTotals | None
    terms: Terms | None
    held: int
    again: int
    cancelled: bool

    def state(self, *, finished: bool, recorded: int) -> str:
        """The batch's state in a few words."""
        control = self.figures.control
        return state_of(
            finished=finished,
            wish=control.wish,
            reason=control.reason,
            recorded=recorded,
            held=self.held,
            again=self.again,
            cancelled=self.cancelled,
        )


def read_standing(database: Database, row: BatchRow) -> Standing:
    """How a batch stands now, in one moment."""
    from dataset.store.attempt import Scope
    from dataset.store.batch_figures import batch_figures, cancelled_by_owner, runs_to_try_again
    from dataset.store.ledger_rows import scope_totals, spent_by_role
    from dataset.store.service_state import frozen_moment
    from engine.ledger.terms import Terms

    with frozen_moment(database, seconds=60) as connection:
        totals = scope_totals(connection, [Scope("batch", row.id)])
        figures = batch_figures(connection, row.id)
        return Standing(
            figures=figures,
            spent=spent_by_role(connection, batch_id=row.id),
            totals=totals[0] if totals else None,
            terms=Terms.of_content(row.terms, batch_id=row.id) if row.terms else None,
            held=slices_held(figures.holders),
            again=runs_to_try_again(connection).get(row.id, 0),
            cancelled=row.id in cancelled_by_owner(connection),
        )


def slices_held(holders: Mapping[str, int]) -> int:
    """How many slices are in the hands of workers that live, as far as this machine can tell."""
    from engine.batches.process_identity import is_surely_dead

    return sum(count for owner, count in holders.items() if not is_surely_dead(owner))


def worker_hint(batch_id: str) -> str:
    """What to do about a batch that waits for a worker."""
    return f"→ `glassbench worker`, or `glassbench batch run {batch_id}`, works on it"


def state_of(
    *,
    finished: bool,
    wish: Wish,
    reason: str | None,
    recorded: int,
    held: int,
    again: int = 0,
    cancelled: bool = False,
) -> str:
    """A batch's state in a few words; the figures are those of `Standing`."""
    if finished:
        if cancelled:
            return "cancelled by its owner"
        return "finished" if reason is None else f"finished ({reason})"
    match wish:
        case "rest":
            if again:
                return f"to be tried again: {counted(again, 'run')}"
            return "not running" if recorded else "not started"
        case "run":
            return "running" if held else "waiting for a worker"
        case "pause":
            return "paused" if reason is None else f"paused ({reason})"
        case "cancel":
            doing = "being cancelled" if reason is None else f"being ended ({reason})"
            return doing if held else f"{doing}, waiting for a worker"
        case _:
            assert_never(wish)


def print_why(standing: Standing, *, finished: bool) -> None:
    """Why a batch is where it is, and what to do about it."""
    from dataset.console import printable
    from dataset.measures.giving_up import GIVING_UP

    control = standing.figures.control
    if control.reason is not None:
        what = {"pause": "paused by the rule", "cancel": "ended by the rule"}.get(control.wish, "ended by the rule")
        said = control.detail or GIVING_UP.get(control.reason)
        print(printable(f"  {what} {control.reason}{': ' + said if said else ''}"))
    elif control.wish == "pause" and not finished:
        print("  paused by its owner")
    if control.wish == "pause" and control.reason is not None:
        print(f"  → {ADVICE.get(control.reason, 'mend what it says')}")
    for code, count in standing.figures.last_errors.items():
        print(f"  {counted(count, 'slice')} failed last with {code}, and will be tried again")


def print_standing(standing: Standing) -> None:
    """Slices, attempts, money, limits, retried runs: each only where there is something to say."""
    figures = standing.figures
    if figures.slices:
        parts = (f"{figures.slices[state]} {name}" for state, name in SLICE_WORDS.items() if figures.slices.get(state))
        print(f"slices    {', '.join(parts)}")
    if figures.attempts:
        parts = (f"{figures.attempts[state]} {name}" for state, name in STATES.items() if figures.attempts.get(state))
        print(f"attempts  {', '.join(parts)}")
    for spent in standing.spent:
        print(f"spent     {_money(spent)}")
    if figures.superseded:
        print(f"retried   {counted(len(figures.superseded), 'run')}; what they were before is kept and published")
    limits = limits_left(standing)
    if limits:
        print_table(
            "Limits of this batch",
            ("limit", "#most", "#settled", "#reserved", "#left"),
            [(found["limit"], found["most"], found["settled"], found["reserved"], found["left"]) for found in limits],
        )


def limits_left(standing: Standing) -> list[dict[str, str]]:
    """Each lifetime limit of the batch's own, what counts against it and what is left, as exact text."""
    from dataset.store.attempt import ScopeState
    from engine.ledger.policy import LIFETIME_LIMITS

    if standing.terms is None:
        return []
    state = standing.totals.state if standing.totals else ScopeState()
    used: Mapping[str, tuple[Any, Any]] = {
        "requests": (state.requests - state.active, state.active),
        "tokens": (state.tokens - state.reserved_tokens, state.reserved_tokens),
        "cost": (state.charge - state.reserved_charge, state.reserved_charge),
    }
    return [
        {
            "limit": f"cost {standing.terms.policy.currency}" if name == "cost" else name,
            "most": amount(most),
            "settled": amount(used[name][0]),
            "reserved": amount(used[name][1]),
            "left": amount(max(0, most - used[name][0] - used[name][1])),
        }
        for name, most in standing.terms.own_limits.given()
        if name in LIFETIME_LIMITS
    ]


def standing_json(standing: Standing) -> dict[str, Any]:
    """The same for machines."""
    from engine.telemetry.clock import utc_text

    figures, control = standing.figures, standing.figures.control
    return {
        "wish": control.wish,
        "reason": control.reason,
        "detail": control.detail,
        "changed_at": utc_text(control.changed_at),
        "slices": {state: figures.slices.get(state, 0) for state in SLICE_WORDS},
        "slice_errors": dict(figures.last_errors),
        "attempts": {state: figures.attempts.get(state, 0) for state in STATES},
        "spent": [
            {
                "role": spent.role,
                "attempts": spent.attempts,
                "cost": None if spent.cost is None else amount(spent.cost),
                "currency": spent.currency,
                "of_unknown_cost": spent.unpriced,
            }
            for spent in standing.spent
        ],
        "limits": limits_left(standing),
        "superseded": len(figures.superseded),
    }


def _money(spent: Spent) -> str:
    by = ROLES[spent.role]
    if spent.cost is None:
        return f"{by}: {counted(spent.attempts, 'attempt')} of unknown cost"
    known = counted(spent.attempts - spent.unpriced, "attempt")
    unknown = f", and {counted(spent.unpriced, 'attempt')} of unknown cost" if spent.unpriced else ""
    return f"{by}: {paid(spent.cost, spent.currency)} for {known}{unknown}"
