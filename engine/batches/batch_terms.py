"""The terms of a batch: made when it is created, read back whenever it is run."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import ValidationError

from dataset.errors import GlassbenchError
from dataset.measures.exchange import FxSnapshot
from dataset.record import BatchId
from dataset.store.batches import BatchRow, StoredTerms, freeze_terms, get_batch
from dataset.store.policies import active_policy as stored_policy
from dataset.store.policies import ensure_policy
from dataset.store.session import Database
from engine.ledger.policy import DEFAULT_POLICY, Policy
from engine.ledger.terms import BatchLimits, Terms

COUNTED_INPUT = 0
"""An input reservation of what the counter says of each call, and no more."""


class LimitsError(GlassbenchError):
    """A limit that can't be read."""

    code = "BATCH-LIMIT-001"


def active_policy(database: Database) -> Policy:
    """The policy under which a batch is created now; the default one becomes active where none ever was."""
    with database.transaction() as connection:
        return Policy.of_content(ensure_policy(connection, DEFAULT_POLICY.content()).content)


def standing_policy(database: Database) -> Policy:
    """The policy that a batch would be created under now. It only looks: nothing becomes active."""
    with database.transaction() as connection:
        found = stored_policy(connection)
    return DEFAULT_POLICY if found is None else Policy.of_content(found.content)


def batch_limits(*, requests: int | None, tokens: int | None, cost: str | None) -> BatchLimits:
    """The limits that an owner gives one batch; LimitsError names the one that is no limit."""
    try:
        return BatchLimits(requests=requests, tokens=tokens, cost=cost)
    except ValidationError:
        raise LimitsError(
            f"{cost!r} is no amount of money: write a decimal number from 0, like 12.50",
            hint="its currency is the policy's; see `glassbench policy show`",
        ) from None


def new_terms(policy: Policy, limits: BatchLimits, *, input_reservation: int, rates: Sequence[FxSnapshot]) -> Terms:
    """The terms of a batch created now: the policy, limits of its own, the exchange rates of the registry."""
    return Terms(policy=policy, limits=limits, input_reservation=input_reservation, rates=tuple(rates))


def stored_terms(terms: Terms) -> StoredTerms:
    """The terms as they are frozen with the batch."""
    return StoredTerms(content=terms.content(), hash=terms.digest(), backlog=terms.policy.backlog)


def frozen_terms(database: Database, batch_id: BatchId) -> Terms:
    """What a batch is run under. One of an older schema is given the active policy now, for the rest of its life.

    TermsError where they can't be read.
    """
    row = get_batch(database, batch_id)
    if row.terms is None:
        terms = Terms(policy=active_policy(database), input_reservation=COUNTED_INPUT)
        freeze_terms(database, batch_id, stored_terms(terms))
        row = get_batch(database, batch_id)
    assert row.terms is not None
    return Terms.of_content(row.terms, batch_id=row.id)


def standing_terms(database: Database, row: BatchRow) -> Terms:
    """What a batch would be run under now. It only looks: one of an older schema is given nothing. TermsError."""
    if row.terms is None:
        return Terms(policy=standing_policy(database), input_reservation=COUNTED_INPUT)
    return Terms.of_content(row.terms, batch_id=row.id)
