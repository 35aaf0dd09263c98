"""What an admission is judged by, read under the locks that keep it true until the transaction ends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import psycopg

from dataset.store.attempt import AttemptKey, Reservation, Scope, ScopeState
from dataset.store.driver import in_one_go
from dataset.store.errors import StoreError
from dataset.store.execution_tables import SCOPE_KINDS
from dataset.store.ledger_drift import OPEN_TOTALS, open_drift, refuse_drift
from dataset.store.policies import checked_content


class UnknownPolicyError(StoreError):
    """A reservation under a policy that isn't stored."""

    code = "LEDGER-POLICY-002"


@dataclass(frozen=True, kw_only=True, slots=True)
class Standing:
    """The state of every scope asked for, the database's time, and what stands already under the keys asked for.

    `policies` holds the contents of the policies asked for and of the active one, their hashes computed again.
    """

    now: datetime
    states: Mapping[Scope, ScopeState]
    attempts: Mapping[AttemptKey, tuple[object, ...]]
    policies: Mapping[str, bytes]
    active_policy: str | None


def lock_and_read(driver: psycopg.Connection[Any], reservations: Sequence[Reservation]) -> Standing:
    """Locks the scopes of the reservations and reads the rest: one round trip, in which each read sees what the lock
    has waited for. LedgerDriftError, PolicyHashError, UnknownPolicyError.
    """
    scopes = sorted({scope for asked in reservations for scope in asked.scopes})
    names = {"kinds": [scope.kind for scope in scopes], "keys": [scope.key for scope in scopes]}
    keys = {"call_keys": [r.call_key for r in reservations], "ordinals": [r.ordinal for r in reservations]}
    hashes = {asked.policy_hash for asked in reservations}
    with in_one_go(driver):
        locked = driver.execute(_LOCK_SCOPES, names)
        minutes = driver.execute(_MINUTES, names)
        driver.execute(_ALONG_THE_INDEX, {"other_plans": "off"})
        unsettled = driver.execute(OPEN_TOTALS)
        driver.execute(_ALONG_THE_INDEX, {"other_plans": "on"})
        attempts = driver.execute(_STANDING, keys)
        policies = driver.execute(_POLICIES, {"hashes": list(hashes)})
    kept = {Scope(kind, key): figures for kind, key, *figures in locked.fetchall()}
    if len(kept) < len(scopes):
        driver.execute(_CREATE_SCOPES, names)
        return lock_and_read(driver, reservations)
    now, states = _states(kept, minutes.fetchall())
    refuse_drift(open_drift(states, unsettled.fetchall()))
    contents = {digest: (checked_content(digest, content), active) for digest, content, active in policies.fetchall()}
    if unknown := sorted(hashes - contents.keys()):
        raise UnknownPolicyError(f"no policy has the hash {unknown[0]}", hint="see `glassbench policy list`")
    return Standing(
        now=now,
        states=states,
        attempts={AttemptKey(*row[:2]): row[2:] for row in attempts.fetchall()},
        policies={digest: content for digest, (content, _) in contents.items()},
        active_policy=next((digest for digest, (_, active) in contents.items() if active), None),
    )


def _states(
    kept: Mapping[Scope, Sequence[Any]], minutes: Sequence[tuple[Any, ...]]
) -> tuple[datetime, dict[Scope, ScopeState]]:
    states = {}
    for _, kind, key, requests, tokens in minutes:
        active, all_requests, all_tokens, reserved_tokens, charge, reserved_charge = kept[Scope(kind, key)]
        states[Scope(kind, key)] = ScopeState(
            active=active,
            requests=all_requests,
            tokens=all_tokens,
            reserved_tokens=reserved_tokens,
            charge=charge,
            reserved_charge=reserved_charge,
            minute_requests=requests,
            minute_tokens=tokens,
        )
    return minutes[0][0], states


_IN_LOCKING_ORDER = f"array_position(ARRAY[{', '.join(map(repr, SCOPE_KINDS))}], w.kind), w.key"

_LOCK_SCOPES = f"""
SELECT s.kind, s.key, s.active, s.requests, s.tokens, s.reserved_tokens, s.charge, s.reserved_charge
FROM ledger_scope s JOIN unnest(%(kinds)s::text[], %(keys)s::text[]) AS w(kind, key) USING (kind, key)
ORDER BY {_IN_LOCKING_ORDER}
FOR NO KEY UPDATE OF s
"""

_CREATE_SCOPES = f"""
INSERT INTO ledger_scope (kind, key)
SELECT kind, key FROM unnest(%(kinds)s::text[], %(keys)s::text[]) AS w(kind, key)
ORDER BY {_IN_LOCKING_ORDER}
ON CONFLICT DO NOTHING
"""

_MINUTES = """
WITH clock AS MATERIALIZED (SELECT clock_timestamp() AS now)
SELECT clock.now, w.kind, w.key, coalesce(m.requests, 0), coalesce(m.tokens, 0)
FROM clock CROSS JOIN unnest(%(kinds)s::text[], %(keys)s::text[]) AS w(kind, key)
LEFT JOIN ledger_minute m
       ON m.kind = w.kind AND m.key = w.key AND m.minute = date_trunc('minute', clock.now, 'UTC')
"""

_STANDING = """
SELECT a.call_key, a.ordinal, a.state, a.request_digest, a.policy_hash, a.lease_token,
       a.reserved_input, a.reserved_output, a.reserved_cost, a.reserved_charge
FROM provider_attempt a
JOIN unnest(%(call_keys)s::text[], %(ordinals)s::int[]) AS k(call_key, ordinal) USING (call_key, ordinal)
"""

_POLICIES = """
WITH latest AS MATERIALIZED (SELECT policy_hash FROM policy_activation ORDER BY number DESC LIMIT 1)
SELECT hash, content, hash IN (SELECT policy_hash FROM latest)
FROM policy WHERE hash = ANY(%(hashes)s::text[]) OR hash IN (SELECT policy_hash FROM latest)
"""

_ALONG_THE_INDEX = """
SELECT set_config('enable_seqscan', %(other_plans)s, true), set_config('enable_bitmapscan', %(other_plans)s, true)
"""
"""Few attempts are open, but statistics from a busy moment say otherwise, and only a plain index scan clears the
entries of closed attempts away as it meets them: without this, one admission reads a whole history of them."""
