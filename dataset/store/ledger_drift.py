"""Whether the ledger's totals are what its attempts add up to: all of them, or quickly the part that isn't settled."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import Connection

from dataset.store.attempt import Scope, ScopeState, scopes_of
from dataset.store.driver import driver_of
from dataset.store.errors import StoreError
from dataset.store.ledger_totals import Counted

Figure = int | Decimal | bool
_SHOWN = 5


class LedgerDriftError(StoreError):
    """A total isn't what the attempts add up to; nothing is admitted any more."""

    code = "LEDGER-DRIFT-001"


@dataclass(frozen=True, kw_only=True, slots=True)
class Drift:
    """One total that is wrong. `minute` None is the total of a scope's whole life; `kept` None is a missing row,
    `recomputed` None a row that no attempt stands behind."""

    scope: Scope
    minute: datetime | None
    figure: str
    kept: Figure | None
    recomputed: Figure | None

    @property
    def told_kept(self) -> str:
        """The kept value in words."""
        return "no row" if self.kept is None else _told(self.kept)

    @property
    def told_recomputed(self) -> str:
        """The recomputed value in words."""
        return "no attempt" if self.recomputed is None else _told(self.recomputed)

    def __str__(self) -> str:
        when = f" in the minute {self.minute:%Y-%m-%dT%H:%MZ}" if self.minute else ""
        return f"{self.scope}{when}: {self.figure} is kept as {self.told_kept}, recomputed as {self.told_recomputed}"


def drift(connection: Connection) -> list[Drift]:
    """Every total that isn't what the attempts add up to, too high, too low, missing or without an attempt.

    One statement, and so one moment: it needs no lock and holds none.
    """
    return [found for row in driver_of(connection).execute(_DRIFT) for found in _differences(*row)]


def require_sound(connection: Connection) -> None:
    """Nothing where every total is what the attempts add up to, else LedgerDriftError."""
    refuse_drift(drift(connection))


def refuse_drift(found: list[Drift]) -> None:
    """LedgerDriftError that names the first few of these; nothing for none."""
    if found:
        more = f"; and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
        raise LedgerDriftError(
            f"the ledger's totals have drifted: {'; '.join(map(str, found[:_SHOWN]))}{more}",
            hint="nothing is admitted until a person has looked: `glassbench ledger audit` lists every difference",
        )


def open_drift(kept: Mapping[Scope, ScopeState], open_rows: Iterable[tuple[Any, ...]]) -> list[Drift]:
    """Where the part of these scopes that isn't settled differs from the open attempts, as `OPEN_TOTALS` reads them."""
    sums: dict[Scope, list[Any]] = {scope: [0, 0, Decimal(0)] for scope in kept}
    for provider, model_key, batch_id, *parts in open_rows:
        for scope in scopes_of(provider, model_key, batch_id):
            if scope in sums:
                sums[scope] = [old + new for old, new in zip(sums[scope], parts, strict=True)]
    return [
        Drift(scope=scope, minute=None, figure=figure, kept=getattr(state, figure), recomputed=recomputed)
        for scope, state in kept.items()
        for figure, recomputed in zip(("active", "reserved_tokens", "reserved_charge"), sums[scope], strict=True)
        if getattr(state, figure) != recomputed
    ]


def _differences(
    kind: Any, key: str, minute: datetime | None, kept_is_there: bool, recomputed_is_there: bool, *figures: Figure
) -> list[Drift]:
    """The figures of a row that differ; of a row with a side missing at least one, though all of them be 0."""
    half = len(Counted._fields)
    pairs = {name: (figures[n], figures[half + n]) for n, name in enumerate(Counted._fields)}
    names = [name for name, (kept, recomputed) in pairs.items() if kept != recomputed] or ["requests"]
    return [
        Drift(
            scope=Scope(kind, key),
            minute=minute.astimezone(UTC) if minute else None,
            figure=name,
            kept=pairs[name][0] if kept_is_there else None,
            recomputed=pairs[name][1] if recomputed_is_there else None,
        )
        for name in names
    ]


def _told(figure: Figure) -> str:
    if isinstance(figure, bool):
        return "yes" if figure else "no"
    return format(Decimal(figure).normalize() + 0, "f")


OPEN_TOTALS = """
SELECT provider, model_key, batch_id, count(*),
       sum(coalesce(reserved_input, 0) + coalesce(reserved_output, 0)), sum(coalesce(reserved_charge, 0))
FROM provider_attempt WHERE ended_at IS NULL
GROUP BY provider, model_key, batch_id
"""

_RECOMPUTED = """
SELECT kind, key, coalesce(minute, '-infinity') AS moment, true AS is_there,
       sum(requests) AS requests, sum(tokens) AS tokens,
       CASE WHEN minute IS NULL THEN sum(active) END AS active,
       CASE WHEN minute IS NULL THEN sum(reserved_tokens) END AS reserved_tokens,
       CASE WHEN minute IS NULL THEN sum(charge) END AS charge,
       CASE WHEN minute IS NULL THEN sum(reserved_charge) END AS reserved_charge,
       CASE WHEN minute IS NULL THEN bool_or(overdrawn) END AS overdrawn
FROM (
    SELECT provider, model_key, batch_id, minute, sum(active) AS active, sum(requests) AS requests,
           sum(requests * tokens) AS tokens, sum(active * tokens) AS reserved_tokens,
           sum(requests * charge) AS charge, sum(active * charge) AS reserved_charge,
           bool_or(requests = 1 AND overdrawn) AS overdrawn
    FROM (
        SELECT provider, model_key, batch_id, minute,
               (state <> 'released_pre_send')::int AS requests,
               (state IN ('reserved', 'send_started'))::int AS active,
               coalesce(actual_input, reserved_input, 0) + coalesce(actual_output, reserved_output, 0) AS tokens,
               coalesce(actual_charge, reserved_charge, 0) AS charge,
               coalesce(actual_input > reserved_input, false) OR coalesce(actual_output > reserved_output, false)
               OR coalesce(actual_charge > reserved_charge, false) AS overdrawn
        FROM provider_attempt
    ) each_one
    GROUP BY provider, model_key, batch_id, minute
) fine
CROSS JOIN LATERAL (
    VALUES ('global', ''), ('provider', provider), ('model', model_key), ('batch', batch_id)
) scope (kind, key)
GROUP BY GROUPING SETS ((kind, key), (kind, key, minute))
"""


def _figures(side: str) -> str:
    return ", ".join(f"coalesce({side}.{name}, {'false' if name == 'overdrawn' else '0'})" for name in Counted._fields)


_DRIFT = f"""
SELECT kind, key, CASE WHEN moment > '-infinity' THEN moment END, kept.is_there IS NOT NULL,
       recomputed.is_there IS NOT NULL, {_figures("kept")}, {_figures("recomputed")}
FROM (
    SELECT kind, key, '-infinity'::timestamptz AS moment, true AS is_there, {", ".join(Counted._fields)}
    FROM ledger_scope
    UNION ALL
    SELECT kind, key, minute, true, NULL, requests, tokens, NULL, NULL, NULL, NULL FROM ledger_minute
) kept
FULL JOIN ({_RECOMPUTED}) recomputed USING (kind, key, moment)
WHERE kept.is_there IS NULL OR (recomputed.is_there IS NULL AND moment > '-infinity')
   OR ROW({_figures("kept")}) <> ROW({_figures("recomputed")})
ORDER BY kind, key, moment
"""
"""A scope's row without any attempt is sound as long as it is all 0: everyone it was made for was turned away."""
