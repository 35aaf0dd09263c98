"""What was done lately, and how fast: aggregates over a window of the database's clock. Reads only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, text

from dataset.record import BatchId
from dataset.store.batch_control import Wish

RATE_MINUTES = 15
"""What a batch's speed is judged by: its runs of so many minutes."""
MOST_BATCHES = 50
MOST_CODES = 50


@dataclass(frozen=True, kw_only=True, slots=True)
class Durations:
    """How long something took, in seconds, of so many of its kind; None where there was none."""

    sample: int
    p50: float | None
    p95: float | None
    p99: float | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Failures:
    """Attempts that ended with a code; `status` is the HTTP status, None where there was none."""

    code: str
    status: int | None
    attempts: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Recent:
    """What was recorded within the window. `given_up`: recorded runs that weren't asked to the end.

    `busy_minutes`: minutes of the clock in which at least one run that was asked is recorded. A run takes from its
    first event to its artifact, an attempt from its first byte sent to its end, both by the database's clock.
    """

    recorded: int
    verdicts: Mapping[str, int]
    given_up: int
    busy_minutes: int
    runs: Durations
    attempts: Durations
    calls: int
    retries: int
    failures: Sequence[Failures]

    @property
    def runs_per_minute(self) -> float | None:
        """Runs that were asked, a busy minute; None without any."""
        return (self.recorded - self.given_up) / self.busy_minutes if self.busy_minutes else None


@dataclass(frozen=True, kw_only=True, slots=True)
class BatchInWork:
    """An unfinished batch that somebody started. `lately` runs of it were recorded within `span` seconds up to now,
    RATE_MINUTES at most."""

    batch_id: BatchId
    wish: Wish
    reason: str | None
    planned: int
    recorded: int
    lately: int
    span: float
    slices: Mapping[str, int] = field(default_factory=dict)

    @property
    def seconds_left(self) -> float | None:
        """An estimate at the speed of lately; None where nothing was recorded lately, or nothing is wanted."""
        if self.wish == "pause" or not self.lately or self.span <= 0:
            return None
        return (self.planned - self.recorded) * self.span / self.lately


def recent(connection: Connection, hours: float) -> Recent:
    """What was done within the last so many hours."""
    within = {"seconds": hours * 3600}
    row = connection.execute(text(_RUNS), within).one()
    calls, attempts = connection.execute(text(_CALLS), within).one()
    failures = connection.execute(text(_FAILURES), within | {"most": MOST_CODES})
    return Recent(
        recorded=row.recorded,
        verdicts={"pass": row.passed, "fail": row.failed, "invalid": row.invalid},
        given_up=row.given_up,
        busy_minutes=row.busy_minutes,
        runs=_durations(connection.execute(text(_RUN_SECONDS), within).one()),
        attempts=_durations(connection.execute(text(_ATTEMPT_SECONDS), within).one()),
        calls=calls,
        retries=attempts - calls,
        failures=[Failures(code=f.code, status=f.status, attempts=f.attempts) for f in failures],
    )


def batches_in_work(connection: Connection) -> list[BatchInWork]:
    """Unfinished batches that were started, the last served first, MOST_BATCHES at most."""
    rows = connection.execute(text(_IN_WORK), {"minutes": RATE_MINUTES, "most": MOST_BATCHES})
    return [
        BatchInWork(
            batch_id=BatchId(row.batch_id),
            wish=row.wish,
            reason=row.reason,
            planned=row.planned,
            recorded=row.recorded,
            lately=row.lately,
            span=float(row.span),
            slices=row.slices,
        )
        for row in rows
    ]


def _durations(row: Any) -> Durations:
    p50, p95, p99 = row.took or (None, None, None)
    return Durations(sample=row.sample, p50=p50, p95=p95, p99=p99)


_SINCE = "clock_timestamp() - make_interval(secs => :seconds)"
_PERCENTILES = "percentile_cont(ARRAY[0.5, 0.95, 0.99]) WITHIN GROUP (ORDER BY seconds) AS took, count(*) AS sample"

_RUNS = f"""
SELECT count(*) AS recorded,
       count(*) FILTER (WHERE verdict = 'pass') AS passed,
       count(*) FILTER (WHERE verdict = 'fail') AS failed,
       count(*) FILTER (WHERE verdict = 'invalid') AS invalid,
       count(*) FILTER (WHERE status = 'cancelled') AS given_up,
       count(DISTINCT date_trunc('minute', recorded_at)) FILTER (WHERE status <> 'cancelled') AS busy_minutes
FROM artifact WHERE recorded_at > {_SINCE}
"""

_RUN_SECONDS = f"""
SELECT {_PERCENTILES} FROM (
    SELECT extract(epoch FROM a.recorded_at - first.recorded_at)::float8 AS seconds
    FROM artifact a CROSS JOIN LATERAL (
        SELECT e.recorded_at FROM event e WHERE e.run_id = a.run_id AND e.attempt = a.attempt ORDER BY e.seq LIMIT 1
    ) first
    WHERE a.recorded_at > {_SINCE} AND a.status <> 'cancelled'
) each_one
"""

_ATTEMPT_SECONDS = f"""
SELECT {_PERCENTILES} FROM (
    SELECT extract(epoch FROM ended_at - sent_at)::float8 AS seconds
    FROM provider_attempt WHERE ended_at > {_SINCE} AND sent_at IS NOT NULL
) each_one
"""

_CALLS = f"""
SELECT count(DISTINCT call_key), count(*)
FROM provider_attempt WHERE reserved_at > {_SINCE} AND state <> 'released_pre_send'
"""

_FAILURES = f"""
SELECT code, status, count(*) AS attempts
FROM provider_attempt WHERE ended_at > {_SINCE} AND code IS NOT NULL
GROUP BY code, status ORDER BY count(*) DESC, code, status LIMIT :most
"""

_IN_WORK = """
SELECT c.batch_id, c.wish, c.reason, runs.planned, runs.recorded, runs.lately,
       extract(epoch FROM clock_timestamp() - coalesce(runs.since, clock_timestamp())) AS span,
       coalesce((SELECT json_object_agg(s.state, s.number) FROM (
           SELECT state, count(*) AS number FROM slice WHERE batch_id = c.batch_id GROUP BY state
       ) s), '{}') AS slices
FROM batch_control c
JOIN batch b ON b.id = c.batch_id
CROSS JOIN LATERAL (
    SELECT count(*) AS planned, count(a.run_id) AS recorded,
           count(*) FILTER (WHERE a.recorded_at > clock_timestamp() - make_interval(mins => :minutes)) AS lately,
           min(a.recorded_at) FILTER (WHERE a.recorded_at > clock_timestamp() - make_interval(mins => :minutes))
               AS since
    FROM run r LEFT JOIN artifact a ON a.run_id = r.run_id
    WHERE r.batch_id = c.batch_id AND NOT EXISTS (SELECT FROM run later WHERE later.supersedes = r.run_id)
) runs
WHERE b.finished_at IS NULL AND c.wish <> 'rest'
ORDER BY c.served_at DESC NULLS LAST, c.batch_id LIMIT :most
"""
