"""What an owner sees and confirms before a batch may spend money, and what its canaries said."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from dataset.console import printable
from engine.cli.estimate_table import print_estimate
from engine.cli.limits_table import print_limits

if TYPE_CHECKING:
    from engine.batches.estimate import Estimate
    from engine.ledger.terms import Terms
    from engine.preflight.look_up import LookedUp
    from engine.preflight.preflight import Passed


def print_preflight(batch_id: str, found: Sequence[LookedUp], bounds: Sequence[Estimate], terms: Terms) -> None:
    """Hosts, models, runs, the most calls and money, and the limits that hold."""
    asked = {one.subject.entry.key: one.subject.entry for one in found}
    print_estimate(
        [e for e in bounds if e.model_key in asked], asked, title=f"From here batch {batch_id} takes at most"
    )
    attempts = terms.policy.slice_attempts
    print(f"calls: (missing runs × {attempts} attempts × most steps + 1 canary) × HTTP tries")
    for one in found:
        free = "" if one.subject.paid else "; no price and no key: asked without a canary"
        print(printable(f"{one.subject.entry.key}: {one.told}{free}"))
    print_limits(batch_id, [one.subject.frozen for one in found], terms)


def print_passed(passed: Sequence[Passed]) -> None:
    """What each canary said."""
    for one in passed:
        key, canary = one.looked_up.subject.entry.key, one.canary
        if canary is not None:
            name = canary.returned or "a server that doesn't say which model"
            print(printable(f"canary of {key}: {name} answered in {canary.latency_ms} ms"))
        elif one.looked_up.subject.paid:
            print(f"canary of {key}: not sent, the budget is used up; the batch ends with what it has")


def confirm(batch_id: str, *, yes: bool, as_json: bool) -> None:
    """Returns where the owner wants the batch to be paid for. UnconfirmedError."""
    from engine.preflight.errors import UnconfirmedError

    if yes:
        return
    if as_json or not sys.stdin.isatty():
        raise UnconfirmedError(
            f"batch {batch_id} may cost money, and nobody is here to confirm it",
            hint=f"look at `glassbench batch run {batch_id} --estimate`, then add --yes",
        )
    print(f"Type the batch id ({batch_id}) to go on: ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip() != batch_id:
        raise UnconfirmedError(
            f"batch {batch_id} was not confirmed: no model was asked, and nothing was written",
            code="PREFLIGHT-CONFIRM-002",
        )
