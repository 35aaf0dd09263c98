"""Leases on slices of a batch: one worker at a time, by the database's clock, fenced by a monotone token.

A slice is the quantum: a range of positions. Its holder renews the lease; when it falls silent, the lease expires and
the slice is taken over under a greater token, which is why nothing written under the old one is taken any more.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from sqlalchemy import Connection, case, exists, func, insert, or_, select, tuple_, update
from sqlalchemy.sql import ColumnElement

from dataset.artifacts.definition import PlannedRun
from dataset.record import BatchId, RunId
from dataset.store.driver import driver_of
from dataset.store.errors import StoreError
from dataset.store.execution_tables import provider_attempt, slice_
from dataset.store.planned import missing
from dataset.store.tables import artifact, run

SliceState = Literal["open", "leased", "done", "dead"]
FIRST_BACKOFF_SECONDS = 1.0
LAST_BACKOFF_SECONDS = 30.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Lease:
    """The right to run a slice, as long as the database says that it holds."""

    batch_id: BatchId
    number: int
    token: int


class StaleLeaseError(StoreError):
    """A write under a lease that is over; nothing was written."""

    code = "LEASE-STALE-001"

    def __init__(self, lease: Lease) -> None:
        super().__init__(
            f"batch {lease.batch_id}: the lease on slice {lease.number} (token {lease.token}) is over",
            hint="another worker has the slice; its records stand",
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class LeasedRun:
    """A run to do under a lease: its plan, the number of its next attempt, and what it supersedes."""

    plan: PlannedRun
    attempt: int
    supersedes: RunId | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Claim:
    """A lease just taken, how often in a row its slice has failed, and the code of the last failure."""

    lease: Lease
    failures: int
    last_error: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Expired:
    """A lease that ran out and was taken away."""

    lease: Lease
    owner: str
    failures: int


def lay_out_slices(connection: Connection, batch_id: BatchId, quantum: int) -> int:
    """Makes the slices of a batch where it has none, and opens again those with missing runs; how many are open."""
    has_slices = connection.execute(select(exists().where(slice_.c.batch_id == batch_id))).scalar_one()
    if not has_slices:
        last = connection.execute(select(func.max(run.c.position)).where(run.c.batch_id == batch_id)).scalar_one()
        rows = [
            {
                "batch_id": batch_id,
                "number": number,
                "first_position": first,
                "last_position": min(first + quantum - 1, last),
            }
            for number, first in enumerate(range(1, last + 1, quantum), start=1)
        ]
        connection.execute(insert(slice_), rows)
    within = run.c.position.between(slice_.c.first_position, slice_.c.last_position)
    unfinished = exists().where(*missing(batch_id), within).correlate(slice_)
    connection.execute(
        update(slice_)
        .where(slice_.c.batch_id == batch_id, slice_.c.state != "leased")
        .values(
            state=case((unfinished, "open"), else_="done"),
            failures=0,
            not_before=None,
            last_error=None,
        )
    )
    return connection.execute(
        select(func.count()).where(slice_.c.batch_id == batch_id, slice_.c.state == "open")
    ).scalar_one()


def claim(connection: Connection, batch_id: BatchId, owner: str, seconds: float) -> Claim | None:
    """A lease on the batch's next open slice, the least tried first; None where none may be had now."""
    driver = driver_of(connection)
    # Whoever steers or serves a batch holds its control row first, then its slices: no two wait for each other.
    wish = driver.execute(_LOCK_WISH, (batch_id,)).fetchone()
    if wish is None or wish[0] not in ("run", "cancel"):
        return None
    taken = driver.execute(_CLAIM, {"batch_id": batch_id, "owner": owner, "seconds": seconds}).fetchone()
    if taken is None:
        return None
    driver.execute(_SERVED, (batch_id,))
    number, token, failures, last_error = taken
    lease = Lease(batch_id=batch_id, number=number, token=token)
    return Claim(lease=lease, failures=failures, last_error=last_error)


def runs_of(connection: Connection, lease: Lease) -> list[LeasedRun]:
    """The runs of a leased slice that have no artifact, by position and revision."""
    rows = driver_of(connection).execute(_MISSING_RUNS, {"batch_id": lease.batch_id, "number": lease.number})
    return [
        LeasedRun(
            plan=PlannedRun(**dict(zip(PlannedRun.__dataclass_fields__, plan, strict=True))),
            attempt=attempt + 1,
            supersedes=None if supersedes is None else RunId(supersedes),
        )
        for *plan, attempt, supersedes in rows
    ]


def held_leases(connection: Connection, leases: Collection[Lease], *, to_change: bool = False) -> set[Lease]:
    """Those of the leases that hold now; they can't be taken over before this transaction ends.

    `to_change`: nor can anything be written under them meanwhile.
    """
    if not leases:
        return set()
    known = {(lease.batch_id, lease.number, lease.token): lease for lease in leases}
    # Each group of writes asks this, so it goes to the driver, which keeps the statement prepared.
    batch_ids, numbers, tokens = map(list, zip(*known, strict=True))
    statement = _HELD_TO_CHANGE if to_change else _HELD
    return {known[row] for row in driver_of(connection).execute(statement, (batch_ids, numbers, tokens))}


def renew_within(connection: Connection, leases: Collection[Lease], seconds: float) -> frozenset[Lease]:
    """Prolongs the leases that still hold, and says which they are. One that has expired is never prolonged."""
    if not leases:
        return frozenset()
    now = func.clock_timestamp()
    known = {(lease.batch_id, lease.number): lease for lease in held_leases(connection, leases, to_change=True)}
    statement = (
        update(slice_)
        .where(tuple_(slice_.c.batch_id, slice_.c.number).in_(list(known)), slice_.c.lease_expires_at > now)
        .values(lease_expires_at=now + _seconds(seconds), heartbeat_at=now)
        .returning(slice_.c.batch_id, slice_.c.number)
    )
    return frozenset(known[tuple(row)] for row in connection.execute(statement))


def give_back(
    connection: Connection, lease: Lease, *, failure: str | None = None, progressed: bool = False, gave_up: bool = False
) -> SliceState | None:
    """Ends a lease and returns what the slice then is; None where the lease was lost before.

    The slice is done (dead, where its rest was given up) when nothing of it is missing, else open again. `failure`:
    the code of what broke. Progress starts the count of failures anew; a yield isn't one.
    """
    values = {
        "batch_id": lease.batch_id,
        "number": lease.number,
        "token": lease.token,
        "finished": "dead" if gave_up else "done",
        "progressed": progressed,
        "failed": int(failure is not None),
        "error": failure,
        "keeps_error": failure is None and gave_up,
    }
    found = driver_of(connection).execute(_GIVE_BACK, values).fetchone()
    return None if found is None else found[0]


def lease_owners(connection: Connection) -> set[str]:
    """Whoever holds a lease now."""
    return set(connection.execute(select(slice_.c.lease_owner).where(slice_.c.state == "leased").distinct()).scalars())


def take_away_expired(connection: Connection, dead_owners: Collection[str] = ()) -> list[Expired]:
    """Ends every lease that has expired or whose owner is known to be dead; the caller reconciles its tries.

    The slice is open again after a back-off: a worker that fell silent counts as a failure, the first one where it had
    recorded something under the lease.
    """
    expired = slice_.c.lease_expires_at <= func.clock_timestamp()
    over = (
        select(slice_.c.batch_id, slice_.c.number, slice_.c.lease_token, slice_.c.lease_owner)
        .where(slice_.c.state == "leased", or_(expired, slice_.c.lease_owner.in_(list(dead_owners))))
        .order_by(slice_.c.batch_id, slice_.c.number)
        .with_for_update(skip_locked=True)
        .cte("over")
    )
    failures = case((_progressed(), 0), else_=slice_.c.failures) + 1
    statement = (
        update(slice_)
        .where(slice_.c.batch_id == over.c.batch_id, slice_.c.number == over.c.number)
        .values(
            state="open",
            failures=failures,
            not_before=func.clock_timestamp() + _backoff(failures),
            last_error="LEASE-EXPIRED-001",
            lease_owner=None,
            lease_token=None,
            lease_expires_at=None,
            heartbeat_at=None,
        )
        .returning(slice_.c.batch_id, slice_.c.number, over.c.lease_token, over.c.lease_owner, slice_.c.failures)
    )
    return [
        Expired(
            lease=Lease(batch_id=BatchId(row.batch_id), number=row.number, token=row.lease_token),
            owner=row.lease_owner,
            failures=row.failures,
        )
        for row in connection.execute(statement)
    ]


def tokens_left_behind(connection: Connection, older_than: float) -> list[int]:
    """The tokens of leases that are over and under which a try is still open after so many seconds.

    A lease may be given back although the end of a try was lost with the group it was written in.
    """
    tried = provider_attempt.c
    statement = (
        select(tried.lease_token)
        .where(
            tried.ended_at.is_(None),
            tried.reserved_at < func.clock_timestamp() - _seconds(older_than),
            tried.lease_token.is_not(None),
            ~exists().where(slice_.c.lease_token == tried.lease_token),
        )
        .distinct()
    )
    return list(connection.execute(statement).scalars())


def slice_states(connection: Connection, batch_id: BatchId) -> dict[str, int]:
    """How many slices of a batch are in each state; `due` counts the open ones that may be had now."""
    found = driver_of(connection).execute(_STATES, (batch_id,)).fetchall()
    return {state: count for state, count, _ in found} | {"due": sum(due for state, _, due in found if state == "open")}


def _progressed() -> ColumnElement[bool]:
    """Whether a run that was tried under the slice's lease is recorded."""
    tried = provider_attempt.c
    return exists().where(
        tried.batch_id == slice_.c.batch_id,
        tried.lease_token == slice_.c.lease_token,
        tried.run_id == artifact.c.run_id,
        tried.run_attempt == artifact.c.attempt,
    )


def _seconds(count: float | ColumnElement[float]) -> ColumnElement[object]:
    return func.make_interval(0, 0, 0, 0, 0, 0, count)


def _backoff(failures: ColumnElement[int]) -> ColumnElement[object]:
    """1 s doubled with each failure, 30 s at most."""
    doubled = FIRST_BACKOFF_SECONDS * func.power(2.0, func.least(failures, 10) - 1)
    return _seconds(func.least(LAST_BACKOFF_SECONDS, doubled))


_HELD = """
SELECT s.batch_id, s.number, s.lease_token
FROM slice s
JOIN unnest(%s::text[], %s::int[], %s::bigint[]) AS l(batch_id, number, lease_token)
USING (batch_id, number, lease_token)
WHERE s.state = 'leased' AND s.lease_expires_at > clock_timestamp()
ORDER BY s.batch_id, s.number FOR SHARE OF s
"""
_HELD_TO_CHANGE = _HELD.replace("FOR SHARE", "FOR NO KEY UPDATE")

_LOCK_WISH = "SELECT wish FROM batch_control WHERE batch_id = %s FOR NO KEY UPDATE"

_CLAIM = """
UPDATE slice SET state = 'leased', lease_owner = %(owner)s, lease_token = nextval('fencing_token'),
    lease_expires_at = clock_timestamp() + make_interval(secs => %(seconds)s), heartbeat_at = clock_timestamp()
WHERE batch_id = %(batch_id)s AND number = (
    SELECT number FROM slice
    WHERE batch_id = %(batch_id)s AND state = 'open' AND (not_before IS NULL OR not_before <= clock_timestamp())
    ORDER BY failures, number LIMIT 1 FOR UPDATE SKIP LOCKED)
RETURNING number, lease_token, failures, last_error
"""

_SERVED = "UPDATE batch_control SET served_at = clock_timestamp() WHERE batch_id = %s"

_MISSING_RUNS = f"""
SELECT {", ".join(f"r.{name}" for name in PlannedRun.__dataclass_fields__)}, r.attempt, r.supersedes
FROM run r JOIN slice s ON s.batch_id = r.batch_id AND s.number = %(number)s
WHERE r.batch_id = %(batch_id)s AND r.position BETWEEN s.first_position AND s.last_position
  AND NOT EXISTS (SELECT FROM artifact a WHERE a.run_id = r.run_id)
ORDER BY r.position, r.revision
"""

_FAILURES = "CASE WHEN %(progressed)s THEN 0 ELSE s.failures END + %(failed)s"

_GIVE_BACK = f"""
UPDATE slice s SET
    state = CASE WHEN EXISTS (
        SELECT FROM run r WHERE r.batch_id = s.batch_id AND r.position BETWEEN s.first_position AND s.last_position
        AND NOT EXISTS (SELECT FROM artifact a WHERE a.run_id = r.run_id)) THEN 'open' ELSE %(finished)s END,
    failures = {_FAILURES},
    not_before = CASE WHEN %(failed)s > 0 THEN clock_timestamp() + make_interval(secs => least(
        {LAST_BACKOFF_SECONDS}, {FIRST_BACKOFF_SECONDS} * power(2.0, least({_FAILURES}, 10) - 1))) END,
    last_error = CASE WHEN %(keeps_error)s THEN s.last_error ELSE %(error)s END,
    lease_owner = NULL, lease_token = NULL, lease_expires_at = NULL, heartbeat_at = NULL
WHERE s.batch_id = %(batch_id)s AND s.number = %(number)s AND s.lease_token = %(token)s AND s.state = 'leased'
RETURNING s.state
"""

_STATES = """
SELECT state, count(*), count(*) FILTER (WHERE not_before IS NULL OR not_before <= clock_timestamp())
FROM slice WHERE batch_id = %s GROUP BY state
"""
