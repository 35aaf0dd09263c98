from __future__ import annotations

from decimal import Decimal

import pytest

from dataset.store.attempt import GLOBAL, Scope
from dataset.store.ledger_drift import Drift, LedgerDriftError, drift, require_sound
from dataset.store.session import Database
from tests.integration.store.ledger_book import MODEL, admit, ask, end, force, open_book, row_of, send, try_all


def found(database: Database) -> list[Drift]:
    with database.transaction() as connection:
        return drift(connection)


def kept_book(database: Database) -> None:
    """One attempt settled, one open."""
    open_book(database)
    settled, _ = admit(database, ask(1), ask(2))
    send(database, settled)
    end(database, settled, input_tokens=90, output_tokens=20, cost=Decimal("0.3"), charge=Decimal("0.3"))


@pytest.mark.parametrize("step", ["+ 1", "- 1"])
@pytest.mark.parametrize("figure", ["active", "requests", "tokens", "reserved_tokens", "charge", "reserved_charge"])
def test_total_that_is_too_high_or_too_low_is_found_by_itself(database: Database, figure: str, step: str) -> None:
    kept_book(database)
    force(database, f"UPDATE ledger_scope SET {figure} = {figure} {step} WHERE kind = 'model'")
    (only,) = found(database)
    assert (only.scope, only.minute, only.figure) == (MODEL, None, figure)
    assert Decimal(only.kept or 0) - Decimal(only.recomputed or 0) == Decimal(step.replace(" ", ""))


def test_forgotten_overdraft_is_found(database: Database) -> None:
    kept_book(database)
    force(database, "UPDATE ledger_scope SET overdrawn = true WHERE kind = 'batch'")
    assert [str(d) for d in found(database)] == ["batch b1: overdrawn is kept as yes, recomputed as no"]


def test_missing_scope_and_its_minutes_are_found(database: Database) -> None:
    kept_book(database)
    force(database, "DELETE FROM ledger_scope WHERE kind = 'provider'")
    assert {(d.scope, d.kept, d.recomputed) for d in found(database) if d.figure == "requests"} == {
        (Scope("provider", "cloud"), None, 2)
    }


def test_missing_minute_is_found(database: Database) -> None:
    kept_book(database)
    force(database, "DELETE FROM ledger_minute WHERE kind = 'global'")
    assert [(d.scope, d.figure, d.kept, d.recomputed) for d in found(database)] == [
        (GLOBAL, "requests", None, 2),
        (GLOBAL, "tokens", None, 260),
    ]
    assert all(d.minute is not None for d in found(database))


def test_missing_minute_of_released_attempts_is_found_though_all_of_it_is_nothing(database: Database) -> None:
    open_book(database)
    (key,) = admit(database, ask())
    end(database, key)
    force(database, "DELETE FROM ledger_minute WHERE kind = 'batch'")
    assert [(d.scope.kind, d.figure, d.kept, d.recomputed) for d in found(database)] == [("batch", "requests", None, 0)]


def test_minute_without_an_attempt_is_found(database: Database) -> None:
    kept_book(database)
    force(database, "INSERT INTO ledger_minute VALUES ('global', '', '2020-01-01 00:00Z', 0, 0)")
    assert [(str(d.minute), d.kept, d.recomputed) for d in found(database)] == [("2020-01-01 00:00:00+00:00", 0, None)]


def test_scope_without_an_attempt_is_found_unless_it_is_empty(database: Database) -> None:
    kept_book(database)
    force(database, "INSERT INTO ledger_scope (kind, key) VALUES ('model', 'turned-away')")
    assert found(database) == []
    force(database, "UPDATE ledger_scope SET charge = 1 WHERE key = 'turned-away'")
    assert [(d.scope.key, d.figure, d.recomputed) for d in found(database)] == [("turned-away", "charge", None)]


def test_attempt_that_was_changed_behind_our_back_is_found_in_all_four_scopes(database: Database) -> None:
    kept_book(database)
    force(database, "UPDATE provider_attempt SET actual_charge = 0 WHERE state = 'settled_actual'")
    assert sorted((d.scope.kind, d.figure) for d in found(database)) == [
        (kind, "charge") for kind in ("batch", "global", "model", "provider")
    ]


def test_drift_is_told_with_scope_kept_and_recomputed_value(database: Database) -> None:
    kept_book(database)
    force(database, "UPDATE ledger_scope SET charge = 7.5 WHERE kind = 'global'")
    with pytest.raises(LedgerDriftError) as caught, database.transaction() as connection:
        require_sound(connection)
    assert caught.value.code == "LEDGER-DRIFT-001"
    assert "global: charge is kept as 7.5, recomputed as 0.8" in caught.value.message


@pytest.mark.parametrize("change", ["active = active + 1", "reserved_tokens = 0", "reserved_charge = 9", "active = 0"])
@pytest.mark.parametrize("kind", ["global", "provider", "model", "batch"])
def test_admission_stops_at_once_where_open_attempts_and_totals_differ(
    database: Database, kind: str, change: str
) -> None:
    kept_book(database)
    force(database, f"UPDATE ledger_scope SET {change} WHERE kind = '{kind}'")
    with pytest.raises(LedgerDriftError, match=kind):
        try_all(database, ask(3))


def test_admission_stops_where_an_open_attempt_was_closed_behind_our_back(database: Database) -> None:
    kept_book(database)
    closed = "state = 'released_pre_send', ended_at = clock_timestamp()"
    force(database, f"UPDATE provider_attempt SET {closed} WHERE call_key = 'call-00002'")
    with pytest.raises(LedgerDriftError, match="active is kept as 1, recomputed as 0"):
        try_all(database, ask(3))
    assert row_of(database, ask(1).key).state == "settled_actual"


def test_drift_of_another_batch_is_left_to_the_full_check(database: Database) -> None:
    kept_book(database)
    force(database, "INSERT INTO ledger_scope (kind, key, active) VALUES ('batch', 'other', 3)")
    admit(database, ask(3))
    assert [d.scope.key for d in found(database)] == ["other"]
