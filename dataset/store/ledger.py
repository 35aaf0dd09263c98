"""The ledger: attempts are reserved, marked, settled, and closed when their worker is gone; none is ever deleted.

Whatever changes a total holds the row of the global scope first, then those of providers, models and batches, so no
two transactions wait for each other. `mark_sent` changes none; in a transaction that does both it comes last.
Minutes are those of the database's clock. What these functions raise they raise before they have written anything.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
from sqlalchemy import Connection

from dataset.store.attempt import (
    NEVER_SENT,
    OUTCOME_UNKNOWN,
    Admitted,
    AttemptKey,
    Decision,
    Denied,
    Reconciled,
    Reservation,
    ScopeStates,
    Settlement,
    SettlementFault,
    ledger_amount,
)
from dataset.store.driver import driver_of, in_one_go
from dataset.store.ledger_admission import Standing, lock_and_read
from dataset.store.ledger_settlement import Ending, StandingAttempt, judge_settlement
from dataset.store.ledger_totals import NOTHING, Figures, TotalsChange, count, json_rows
from dataset.store.policies import currency_of

Rule = Callable[[Reservation, ScopeStates, datetime], Decision]
"""A rule of admission: the decision on an attempt by the state of its scopes and the database's clock."""


def reserve(connection: Connection, reservations: Sequence[Reservation], decide: Rule) -> list[Decision]:
    """A decision for each, in their order; each is judged after those before it have taken what they were given.

    Those admitted are in the ledger then, as `reserved`. An attempt that is reserved already with the same figures is
    admitted again and counted once. LedgerDriftError where the kept totals of these scopes aren't what their open
    attempts add up to; PolicyHashError; UnknownPolicyError.
    """
    if not reservations:
        return []
    driver = driver_of(connection)
    standing = lock_and_read(driver, reservations)
    minute = standing.now.astimezone(UTC).replace(second=0, microsecond=0)
    states = dict(standing.states)
    decisions: list[Decision] = []
    admitted: dict[AttemptKey, Reservation] = {}
    for asked in reservations:
        decision: Decision | None = _of_known_key(asked, standing, admitted) or _of_currency(asked, standing)
        if decision is None:
            decision = decide(asked, states, standing.now)
            if isinstance(decision, Admitted):
                admitted[asked.key] = asked
                states.update({scope: states[scope].after(asked) for scope in asked.scopes})
        decisions.append(decision)
    _write_reservations(driver, admitted.values(), minute)
    return decisions


def mark_sent(connection: Connection, keys: Collection[AttemptKey]) -> set[AttemptKey]:
    """Those that moved from `reserved` to `send_started` and so may be sent; the others were closed in between."""
    if not keys:
        return set()
    return {AttemptKey(*row) for row in driver_of(connection).execute(_MARK_SENT, _arrays(keys))}


def settle(connection: Connection, settlements: Sequence[Settlement]) -> list[SettlementFault]:
    """Ends attempts. Returns the settlements that couldn't be taken; they leave their attempt as it is.

    What was only reserved is released; what was sent counts its actual use, or all it had reserved where that isn't
    known. The same settlement once more changes nothing and is no fault.
    """
    if not settlements:
        return []
    driver = driver_of(connection)
    found = _lock_attempts(driver, _BY_KEY, _arrays({settlement.key for settlement in settlements}))
    faults: list[SettlementFault] = []
    endings: dict[AttemptKey, Ending] = {}
    for settlement in settlements:
        key = settlement.key
        match judge_settlement(settlement, found.get(key), endings.get(key)):
            case SettlementFault() as fault:
                faults.append(fault)
            case Ending() as ending:
                endings[key] = ending
            case None:
                pass
    _write_endings(driver, found, endings)
    return faults


def reconcile(
    connection: Connection, lease_tokens: Collection[int], *, unleased_for: timedelta | None = None
) -> Reconciled:
    """Closes what leases that are over have left open: the unsent is released, the sent counts all it had reserved.

    `unleased_for` also closes attempts that no lease stands behind (a canary's) once they are older than that.
    """
    driver = driver_of(connection)
    found = _lock_attempts(driver, _LEFT_OPEN, {"tokens": list(lease_tokens), "age": unleased_for})
    endings: dict[AttemptKey, Ending] = {}
    for key, attempt in found.items():
        code = NEVER_SENT if attempt.ending.state == "reserved" else OUTCOME_UNKNOWN
        ending = judge_settlement(Settlement(call_key=key.call_key, ordinal=key.ordinal, code=code), attempt, None)
        assert isinstance(ending, Ending)
        endings[key] = ending
    _write_endings(driver, found, endings)
    released = {key for key, ending in endings.items() if ending.state == "released_pre_send"}
    return Reconciled(
        released=tuple(sorted(released)),
        settled=tuple(sorted(key for key in endings if key not in released)),
    )


def _of_known_key(
    asked: Reservation, standing: Standing, admitted: Mapping[AttemptKey, Reservation]
) -> Admitted | Denied | None:
    """The decision on an attempt whose key is taken: a group whose commit wasn't heard of is asked for again."""
    if asked.key not in admitted and asked.key not in standing.attempts:
        return None
    if standing.attempts.get(asked.key) == ("reserved", *_stored_figures(asked)):
        return Admitted()
    return Denied(
        code="LEDGER-KEY-001",
        scope=asked.scopes[3],
        limit=None,
        detail=f"another attempt has the key {asked.call_key} #{asked.ordinal}",
    )


def _of_currency(asked: Reservation, standing: Standing) -> Denied | None:
    """A batch may be older than the active policy; what it charges must be addable all the same."""
    if not asked.charge or standing.active_policy is None:
        return None
    own, active = (currency_of(standing.policies[digest]) for digest in (asked.policy_hash, standing.active_policy))
    if own == active:
        return None
    detail = f"the batch counts in {own}, and the active policy in {active}: create the batch anew"
    return Denied(code="LEDGER-CURRENCY-001", scope=asked.scopes[3], limit="cost", detail=detail)


def _stored_figures(asked: Reservation) -> tuple[object, ...]:
    """What must be the same for an attempt to be the same, as `_STANDING` of `ledger_admission` reads it."""
    return (
        asked.request_digest,
        asked.policy_hash,
        asked.lease_token,
        asked.input_tokens,
        asked.output_tokens,
        ledger_amount(asked.cost),
        ledger_amount(asked.charge),
    )


def _write_reservations(driver: psycopg.Connection[Any], admitted: Iterable[Reservation], minute: datetime) -> None:
    rows, change = [], TotalsChange()
    for asked in admitted:
        charge = ledger_amount(asked.charge)
        rows.append(
            {name: getattr(asked, name) for name in _PLAIN_COLUMNS}
            | {
                "minute": minute,
                "reserved_input": asked.input_tokens,
                "reserved_output": asked.output_tokens,
                "reserved_cost": ledger_amount(asked.cost),
                "reserved_charge": charge,
            }
        )
        counted = count(Figures("reserved", asked.input_tokens, asked.output_tokens, charge))
        change.add(asked.scopes, minute, before=NOTHING, after=counted)
    if rows:
        with in_one_go(driver):
            driver.execute(_INSERT, (json_rows(rows),))
            change.write(driver)


def _lock_attempts(
    driver: psycopg.Connection[Any], statement: str, parameters: Mapping[str, object]
) -> dict[AttemptKey, StandingAttempt]:
    """Attempts as they stand, with their rows and all totals held."""
    with in_one_go(driver):
        driver.execute(_LOCK_GLOBAL)
        found = driver.execute(statement, parameters)
    return {
        AttemptKey(call_key, ordinal): StandingAttempt(
            provider=provider,
            model_key=model_key,
            batch_id=batch_id,
            minute=minute.astimezone(UTC),
            reserved_input=reserved_input,
            reserved_output=reserved_output,
            reserved_charge=reserved_charge,
            ending=Ending(**dict(zip(Ending.__slots__, ending, strict=True))),
        )
        for (
            call_key,
            ordinal,
            provider,
            model_key,
            batch_id,
            minute,
            reserved_input,
            reserved_output,
            reserved_charge,
            *ending,
        ) in found.fetchall()
    }


def _write_endings(
    driver: psycopg.Connection[Any],
    found: Mapping[AttemptKey, StandingAttempt],
    endings: Mapping[AttemptKey, Ending],
) -> None:
    rows, change = [], TotalsChange()
    for key, ending in endings.items():
        attempt = found[key]
        rows.append(key._asdict() | {name: getattr(ending, name) for name in Ending.__slots__})
        change.add(attempt.scopes, attempt.minute, before=attempt.counted(), after=attempt.counted(ending))
    if rows:
        with in_one_go(driver):
            driver.execute(_END, (json_rows(rows),))
            change.write(driver)


def _arrays(keys: Collection[AttemptKey]) -> dict[str, list[Any]]:
    return {"call_keys": [key.call_key for key in keys], "ordinals": [key.ordinal for key in keys]}


_PLAIN_COLUMNS = (
    "call_key",
    "ordinal",
    "batch_id",
    "run_id",
    "run_attempt",
    "step",
    "provider",
    "model_key",
    "role",
    "lease_token",
    "policy_hash",
    "request_digest",
    "currency",
)

_INSERT = """
INSERT INTO provider_attempt (
    call_key, ordinal, batch_id, run_id, run_attempt, step, provider, model_key, role, lease_token, policy_hash,
    request_digest, currency, minute, reserved_input, reserved_output, reserved_cost, reserved_charge)
SELECT * FROM json_to_recordset(%s::json) AS r(
    call_key text, ordinal int, batch_id text, run_id text, run_attempt int, step int, provider text, model_key text,
    role text, lease_token bigint, policy_hash text, request_digest text, currency text, minute timestamptz,
    reserved_input bigint, reserved_output bigint, reserved_cost numeric, reserved_charge numeric)
"""

_LOCK_GLOBAL = "SELECT FROM ledger_scope WHERE kind = 'global' AND key = '' FOR NO KEY UPDATE"

_ATTEMPTS = """
SELECT a.call_key, a.ordinal, a.provider, a.model_key, a.batch_id, a.minute,
       a.reserved_input, a.reserved_output, a.reserved_charge,
       a.state, a.actual_input, a.actual_output, a.actual_cost, a.actual_charge, a.status, a.code
FROM provider_attempt a
"""

_BY_KEY = f"""{_ATTEMPTS}
JOIN unnest(%(call_keys)s::text[], %(ordinals)s::int[]) AS k(call_key, ordinal) USING (call_key, ordinal)
ORDER BY a.call_key, a.ordinal FOR NO KEY UPDATE OF a
"""

_LEFT_OPEN = f"""{_ATTEMPTS}
WHERE a.ended_at IS NULL
  AND (a.lease_token = ANY(%(tokens)s::bigint[])
       OR (a.lease_token IS NULL AND a.reserved_at < clock_timestamp() - %(age)s::interval))
ORDER BY a.call_key, a.ordinal FOR NO KEY UPDATE OF a
"""

_MARK_SENT = """
WITH held AS MATERIALIZED (
    SELECT a.call_key, a.ordinal FROM provider_attempt a
    JOIN unnest(%(call_keys)s::text[], %(ordinals)s::int[]) AS k(call_key, ordinal) USING (call_key, ordinal)
    WHERE a.state = 'reserved'
    ORDER BY a.call_key, a.ordinal FOR NO KEY UPDATE OF a
)
UPDATE provider_attempt a SET state = 'send_started', sent_at = clock_timestamp()
FROM held WHERE a.call_key = held.call_key AND a.ordinal = held.ordinal AND a.state = 'reserved'
RETURNING a.call_key, a.ordinal
"""

_END = """
UPDATE provider_attempt a
SET state = e.state, actual_input = e.actual_input, actual_output = e.actual_output, actual_cost = e.actual_cost,
    actual_charge = e.actual_charge, status = e.status, code = e.code, ended_at = clock_timestamp()
FROM json_to_recordset(%s::json) AS e(
    call_key text, ordinal int, state text, actual_input bigint, actual_output bigint, actual_cost numeric,
    actual_charge numeric, status int, code text)
WHERE a.call_key = e.call_key AND a.ordinal = e.ordinal
"""
