"""The totals that the ledger keeps for speed: what an attempt counts, and how a change of many is written at once.

What an attempt counts: its actual figures where they are known, else the reserved ones, and nothing once it was
released unsent. `count` says it for one attempt, `ledger_drift` for all of them in SQL; a property test holds the two
to each other.
"""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime
from decimal import Decimal
from typing import Any, NamedTuple

import orjson
import psycopg

from dataset.store.attempt import AttemptState, Scope


class Counted(NamedTuple):
    """What one attempt counts in each of its scopes."""

    active: int = 0
    requests: int = 0
    tokens: int = 0
    reserved_tokens: int = 0
    charge: Decimal = Decimal(0)
    reserved_charge: Decimal = Decimal(0)
    overdrawn: bool = False


NOTHING = Counted()


class Figures(NamedTuple):
    """The state of an attempt and the figures that count."""

    state: AttemptState
    reserved_input: int | None
    reserved_output: int | None
    reserved_charge: Decimal | None
    actual_input: int | None = None
    actual_output: int | None = None
    actual_charge: Decimal | None = None


def count(attempt: Figures) -> Counted:
    """What the attempt counts in its present state. It overdraws where it used more than it had reserved."""
    if attempt.state == "released_pre_send":
        return NOTHING
    tokens = _known(attempt.actual_input, attempt.reserved_input) + _known(
        attempt.actual_output, attempt.reserved_output
    )
    charge = attempt.actual_charge if attempt.actual_charge is not None else attempt.reserved_charge or Decimal(0)
    is_open = attempt.state in ("reserved", "send_started")
    return Counted(
        active=int(is_open),
        requests=1,
        tokens=tokens,
        reserved_tokens=tokens if is_open else 0,
        charge=charge,
        reserved_charge=charge if is_open else Decimal(0),
        overdrawn=_over(attempt.actual_input, attempt.reserved_input)
        or _over(attempt.actual_output, attempt.reserved_output)
        or _over(attempt.actual_charge, attempt.reserved_charge),
    )


class TotalsChange:
    """The changes of many attempts, added up, so that each total is written once."""

    def __init__(self) -> None:
        self._scopes: dict[Scope, list[Any]] = defaultdict(lambda: [0, 0, 0, 0, Decimal(0), Decimal(0), False])
        self._minutes: dict[tuple[Scope, datetime], list[int]] = defaultdict(lambda: [0, 0])

    def add(self, scopes: tuple[Scope, ...], minute: datetime, *, before: Counted, after: Counted) -> None:
        """One attempt that counted `before` and counts `after` now, in these scopes and this minute."""
        steps = (
            after.active - before.active,
            after.requests - before.requests,
            after.tokens - before.tokens,
            after.reserved_tokens - before.reserved_tokens,
            after.charge - before.charge,
            after.reserved_charge - before.reserved_charge,
        )
        for scope in scopes:
            sums = self._scopes[scope]
            for position, step in enumerate(steps):
                sums[position] += step
            sums[6] = sums[6] or after.overdrawn
            bucket = self._minutes[scope, minute]
            bucket[0] += steps[1]
            bucket[1] += steps[2]

    def write(self, driver: psycopg.Connection[Any]) -> None:
        """Writes every changed total, in a pipeline or out of it; the scopes' rows exist and are locked."""
        if not self._scopes:
            return
        scopes = [
            dict(zip(("kind", "key", *Counted._fields), (*scope, *sums), strict=True))
            for scope, sums in self._scopes.items()
        ]
        minutes = [
            {"kind": scope.kind, "key": scope.key, "minute": minute, "requests": sums[0], "tokens": sums[1]}
            for (scope, minute), sums in self._minutes.items()
        ]
        driver.execute(_ADD_TO_SCOPES, (json_rows(scopes),))
        driver.execute(_ADD_TO_MINUTES, (json_rows(minutes),))


def json_rows(rows: list[dict[str, Any]]) -> str:
    """Rows as one parameter for `json_to_recordset`; decimals as text, which PostgreSQL reads exactly."""
    return orjson.dumps(rows, default=_exact_text).decode()


def _exact_text(value: object) -> str:
    if isinstance(value, Decimal):
        return format(value, "f")
    raise TypeError(type(value).__name__)


def _known(actual: int | None, reserved: int | None) -> int:
    return actual if actual is not None else reserved or 0


def _over(actual: int | Decimal | None, reserved: int | Decimal | None) -> bool:
    return actual is not None and reserved is not None and actual > reserved


_ADD_TO_SCOPES = """
UPDATE ledger_scope s
SET active = s.active + d.active, requests = s.requests + d.requests, tokens = s.tokens + d.tokens,
    reserved_tokens = s.reserved_tokens + d.reserved_tokens, charge = s.charge + d.charge,
    reserved_charge = s.reserved_charge + d.reserved_charge, overdrawn = s.overdrawn OR d.overdrawn
FROM json_to_recordset(%s::json) AS d(
    kind text, key text, active bigint, requests bigint, tokens bigint, reserved_tokens bigint,
    charge numeric, reserved_charge numeric, overdrawn boolean)
WHERE s.kind = d.kind AND s.key = d.key
"""

_ADD_TO_MINUTES = """
INSERT INTO ledger_minute AS m (kind, key, minute, requests, tokens)
SELECT kind, key, minute, requests, tokens
FROM json_to_recordset(%s::json) AS d(kind text, key text, minute timestamptz, requests bigint, tokens bigint)
ON CONFLICT (kind, key, minute)
DO UPDATE SET requests = m.requests + excluded.requests, tokens = m.tokens + excluded.tokens
"""
