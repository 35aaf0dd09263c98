from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest
from sqlalchemy import text

from dataset.store.attempt import (
    GLOBAL,
    NEVER_SENT,
    OUTCOME_UNKNOWN,
    Admitted,
    AttemptKey,
    Deferred,
    Denied,
    Scope,
)
from dataset.store.errors import StoreError
from dataset.store.ledger import mark_sent, reconcile, reserve
from dataset.store.ledger_admission import UnknownPolicyError
from dataset.store.ledger_drift import drift, require_sound
from dataset.store.policies import PolicyHashError, apply_policy
from dataset.store.session import Database
from engine.ledger.policy import Policy
from engine.ledger.terms import BatchLimits
from tests.integration.store.ledger_book import (
    MODEL,
    PROVIDER,
    admit,
    ask,
    end,
    force,
    open_book,
    row_of,
    send,
    totals,
    try_all,
)

FOUR = (GLOBAL, PROVIDER, MODEL, Scope("batch", "b1"))


def limited(**limits: object) -> Policy:
    return Policy.model_validate({"global": limits})


def sound(database: Database) -> bool:
    with database.transaction() as connection:
        require_sound(connection)
    return True


def test_admitted_attempt_counts_in_all_four_scopes_and_in_its_minute(database: Database) -> None:
    open_book(database)
    admit(database, ask(1), ask(2))
    for scope in FOUR:
        assert totals(database, scope) == (2, 2, 300, 300, Decimal(1), Decimal(1), False)
    with database.transaction() as connection:
        buckets = connection.execute(text("SELECT kind, requests, tokens FROM ledger_minute ORDER BY kind")).all()
    assert [tuple(b) for b in buckets] == [(kind, 2, 300) for kind in ("batch", "global", "model", "provider")]
    assert sound(database)


def test_attempt_that_was_sent_and_answered_counts_what_it_used(database: Database) -> None:
    open_book(database)
    (key,) = admit(database, ask())
    assert send(database, key) == {key}
    used = {"input_tokens": 90, "output_tokens": 20, "cost": Decimal("0.3"), "charge": Decimal("0.3"), "status": 200}
    assert end(database, key, **used) == []
    row = row_of(database, key)
    assert (row.state, row.actual_input, row.actual_output, row.actual_charge, row.status) == (
        "settled_actual",
        90,
        20,
        Decimal("0.3"),
        200,
    )
    assert row.reserved_at < row.sent_at < row.ended_at
    assert all(totals(database, scope) == (0, 1, 110, 0, Decimal("0.3"), 0, False) for scope in FOUR)
    assert sound(database)


def test_attempt_whose_use_is_unknown_counts_all_it_had_reserved(database: Database) -> None:
    open_book(database)
    (key,) = admit(database, ask())
    send(database, key)
    assert end(database, key, code="read_timeout") == []
    assert row_of(database, key).state == "settled_conservative"
    assert totals(database, GLOBAL) == (0, 1, 150, 0, Decimal("0.5"), 0, False)
    assert sound(database)


def test_attempt_that_was_never_sent_gives_everything_back_its_minute_too(database: Database) -> None:
    open_book(database)
    (key,) = admit(database, ask())
    assert end(database, key, code="connect_timeout") == []
    assert row_of(database, key).state == "released_pre_send"
    assert totals(database, GLOBAL) == (0, 0, 0, 0, 0, 0, False)
    with database.transaction() as connection:
        assert connection.execute(text("SELECT sum(requests), sum(tokens) FROM ledger_minute")).one() == (0, 0)
    assert sound(database)


def test_known_tokens_at_an_unknown_price_keep_the_reserved_charge(database: Database) -> None:
    open_book(database)
    (key,) = admit(database, ask())
    send(database, key)
    end(database, key, input_tokens=90, output_tokens=20)
    assert totals(database, GLOBAL) == (0, 1, 110, 0, Decimal("0.5"), 0, False)
    assert sound(database)


def test_use_beyond_the_reservation_marks_every_scope_as_overdrawn(database: Database) -> None:
    open_book(database)
    (key,) = admit(database, ask())
    send(database, key)
    end(database, key, input_tokens=101, output_tokens=1, cost=Decimal("0.1"), charge=Decimal("0.1"))
    assert all(totals(database, scope)[6] is True for scope in FOUR)
    assert sound(database)


def test_reservation_that_bounds_nothing_counts_the_request_alone_and_never_overdraws(database: Database) -> None:
    open_book(database)
    (key,) = admit(database, ask(input_tokens=None, output_tokens=None, currency=None, cost=None, charge=None))
    assert totals(database, GLOBAL) == (1, 1, 0, 0, 0, 0, False)
    send(database, key)
    end(database, key, input_tokens=9, output_tokens=1)
    assert totals(database, GLOBAL) == (0, 1, 10, 0, 0, 0, False)
    assert sound(database)


def test_same_settlement_twice_is_taken_once_and_another_one_is_refused(database: Database) -> None:
    open_book(database)
    (key,) = admit(database, ask())
    send(database, key)
    used = {"input_tokens": 9, "output_tokens": 1, "cost": Decimal("0.1"), "charge": Decimal("0.1"), "status": 200}
    assert end(database, key, **used) == []
    assert end(database, key, **used) == []
    assert end(database, key, **{**used, "output_tokens": 2}) == ["LEDGER-SETTLED-001"]
    assert end(database, key, code="read_timeout") == ["LEDGER-SETTLED-001"]
    assert totals(database, GLOBAL)[2] == 10
    assert sound(database)


def test_settlement_of_an_unknown_attempt_is_refused_alone(database: Database) -> None:
    open_book(database)
    (key,) = admit(database, ask())
    assert end(database, AttemptKey("nobody", 1), code="read_timeout") == ["LEDGER-KEY-002"]
    assert row_of(database, key).state == "reserved"


def test_use_without_a_mark_is_reported_and_not_released(database: Database) -> None:
    open_book(database)
    (key,) = admit(database, ask())
    assert end(database, key, input_tokens=9, output_tokens=1) == ["LEDGER-UNSENT-001"]
    assert row_of(database, key).state == "reserved"


def test_only_a_reserved_attempt_may_be_sent_and_once(database: Database) -> None:
    open_book(database)
    sent, released = admit(database, ask(1), ask(2))
    end(database, released)
    assert send(database, sent, released, AttemptKey("nobody", 1)) == {sent}
    assert send(database, sent) == set()


def test_reservation_asked_for_again_after_a_lost_commit_is_admitted_once(database: Database) -> None:
    open_book(database)
    admit(database, ask())
    assert try_all(database, ask()) == [Admitted()]
    assert totals(database, GLOBAL)[:3] == (1, 1, 150)


def test_key_of_another_attempt_is_denied(database: Database) -> None:
    open_book(database)
    (key,) = admit(database, ask())
    other = try_all(database, ask(output_tokens=51), ask(2), ask(2))
    assert [d.code if isinstance(d, Denied) else d for d in other] == ["LEDGER-KEY-001", Admitted(), "LEDGER-KEY-001"]
    end(database, key)
    (again,) = try_all(database, ask())
    assert isinstance(again, Denied)
    assert sound(database)


def test_attempts_of_a_dead_worker_are_closed_by_what_is_provable(database: Database) -> None:
    open_book(database)
    unsent, sent, done, other = admit(database, ask(1), ask(2), ask(3), ask(4, lease_token=8))
    send(database, sent, done, other)
    end(database, done, input_tokens=1, output_tokens=1, cost=Decimal(0), charge=Decimal(0))
    with database.transaction() as connection:
        closed = reconcile(connection, [7])
    assert (closed.released, closed.settled) == ((unsent,), (sent,))
    assert (row_of(database, unsent).code, row_of(database, sent).code) == (NEVER_SENT, OUTCOME_UNKNOWN)
    assert row_of(database, other).state == "send_started"
    assert totals(database, GLOBAL) == (1, 3, 302, 150, Decimal("1.0"), Decimal("0.5"), False)
    with database.transaction() as connection:
        assert reconcile(connection, [7]).released == ()
    assert send(database, unsent) == set()
    assert end(database, sent, input_tokens=1, output_tokens=1) == ["LEDGER-SETTLED-001"]
    assert sound(database)


def test_attempt_without_a_lease_is_closed_once_it_is_old_enough(database: Database) -> None:
    open_book(database)
    (key,) = admit(database, ask(lease_token=None, role="canary"))
    with database.transaction() as connection:
        assert reconcile(connection, [7], unleased_for=timedelta(hours=2)).released == ()
    force(database, "UPDATE provider_attempt SET reserved_at = reserved_at - interval '3 hours'")
    with database.transaction() as connection:
        assert reconcile(connection, []).released == ()
        assert reconcile(connection, [], unleased_for=timedelta(hours=2)).released == (key,)


def test_group_that_never_committed_leaves_neither_attempt_nor_total(database: Database) -> None:
    open_book(database)
    (kept,) = admit(database, ask(1))
    with database.transaction() as connection:
        assert reserve(connection, [ask(2)], lambda *_: Admitted()) == [Admitted()]
        assert mark_sent(connection, [kept]) == {kept}
        connection.rollback()
    assert row_of(database, kept).state == "reserved"
    assert totals(database, GLOBAL)[:2] == (1, 1)
    assert sound(database)
    admit(database, ask(2))


def test_group_is_decided_in_order_each_against_what_the_earlier_took(database: Database) -> None:
    policy = limited(requests=2)
    open_book(database, policy)
    got = try_all(database, *(ask(n, policy=policy) for n in range(4)), policy=policy)
    assert got[:2] == [Admitted()] * 2
    assert got[2:] == [Deferred(scope=GLOBAL, limit="requests", seconds=1.0)] * 2
    assert totals(database, GLOBAL)[:2] == (2, 2)


def test_reserved_budget_defers_and_settled_budget_ends(database: Database) -> None:
    policy = limited(cost="1.25")
    open_book(database, policy)
    keys = admit(database, ask(1, policy=policy), ask(2, policy=policy), policy=policy)
    (wait,) = try_all(database, ask(3, policy=policy), policy=policy)
    assert isinstance(wait, Deferred)
    send(database, *keys)
    for key in keys:
        end(database, key, code="read_timeout")
    (denied,) = try_all(database, ask(3, policy=policy), policy=policy)
    assert denied == Denied(
        code="LEDGER-BUDGET-001",
        scope=GLOBAL,
        limit="cost",
        detail="1 of 1.25 are used, and the call can use 0.5",
    )


def test_limits_of_the_batch_itself_hold_beside_the_policy(database: Database) -> None:
    open_book(database)
    first, second = try_all(database, ask(1), ask(2), limits=BatchLimits(requests=1))
    assert first == Admitted()
    assert second == Deferred(scope=Scope("batch", "b1"), limit="requests", seconds=1.0)


def test_minute_limit_opens_again_with_the_next_minute_of_the_database(database: Database) -> None:
    policy = limited(requests_per_minute=1)
    open_book(database, policy)
    force(
        database,
        "CREATE SCHEMA clock",
        "CREATE TABLE clock.now AS SELECT timestamptz '2026-01-02 03:04:50Z' AS now",
        "CREATE FUNCTION clock.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS 'SELECT now FROM clock.now'",
        "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = clock, pg_catalog, public',"
        " current_database()); END $$",
    )
    database.close()
    admit(database, ask(1, policy=policy), policy=policy)
    waits = try_all(database, ask(2, policy=policy), policy=policy)
    assert waits == [Deferred(scope=GLOBAL, limit="requests_per_minute", seconds=10.0)]
    force(database, "UPDATE clock.now SET now = '2026-01-02 03:05:00Z'")
    admit(database, ask(2, policy=policy), policy=policy)
    with database.transaction() as connection:
        minutes = connection.execute(text("SELECT minute, requests FROM ledger_minute WHERE kind = 'global'")).all()
    assert sorted((minute.minute, requests) for minute, requests in minutes) == [(4, 1), (5, 1)]
    assert sound(database)


def test_settlement_after_the_minute_counts_in_the_minute_of_its_reservation(database: Database) -> None:
    open_book(database)
    (key,) = admit(database, ask())
    force(
        database,
        "UPDATE provider_attempt SET minute = minute - interval '5 minutes'",
        "UPDATE ledger_minute SET minute = minute - interval '5 minutes'",
    )
    send(database, key)
    end(database, key, input_tokens=1, output_tokens=1, cost=Decimal(0), charge=Decimal(0))
    with database.transaction() as connection:
        rows = connection.execute(text("SELECT requests, tokens FROM ledger_minute WHERE kind = 'global'")).all()
    assert [tuple(row) for row in rows] == [(1, 2)]
    assert sound(database)


def test_changed_policy_stops_admission_before_anything_is_written(database: Database) -> None:
    open_book(database)
    force(
        database,
        "UPDATE policy SET content = convert_to(replace(convert_from(content, 'UTF8'), '100', '999'), 'UTF8')",
    )
    with pytest.raises(PolicyHashError, match="stored content has the hash"):
        try_all(database, ask())
    with database.transaction() as connection:
        assert connection.execute(text("SELECT count(*) FROM provider_attempt")).scalar_one() == 0


def test_policy_that_is_not_stored_admits_nothing(database: Database) -> None:
    open_book(database)
    with pytest.raises(UnknownPolicyError):
        try_all(database, ask(policy=limited(requests=1)))


def test_batch_of_another_currency_charges_nothing_once_the_policy_has_changed(database: Database) -> None:
    open_book(database)
    with database.transaction() as connection:
        apply_policy(connection, Policy(currency="EUR").content())
    (denied,) = try_all(database, ask())
    assert isinstance(denied, Denied)
    assert denied.code == "LEDGER-CURRENCY-001"
    assert try_all(database, ask(charge=None)) == [Admitted()]


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM provider_attempt",
        "TRUNCATE provider_attempt",
        "UPDATE provider_attempt SET state = 'settled_actual'",
        "UPDATE provider_attempt SET state = 'reserved'",
        "UPDATE provider_attempt SET state = 'send_started', sent_at = clock_timestamp(), reserved_charge = 0",
        "UPDATE provider_attempt SET state = 'send_started', sent_at = clock_timestamp(), role = 'judge'",
        "UPDATE provider_attempt SET state = 'send_started', sent_at = clock_timestamp(), lease_token = 9",
        "UPDATE provider_attempt SET state = 'send_started'",
        "UPDATE provider_attempt SET state = 'released_pre_send'",
        "UPDATE provider_attempt SET state = 'send_started', minute = minute - interval '1 minute'",
        "UPDATE provider_attempt SET actual_input = 1",
    ],
)
def test_rows_of_the_ledger_refuse_what_no_attempt_does(database: Database, statement: str) -> None:
    open_book(database)
    admit(database, ask())
    with pytest.raises(StoreError) as caught, database.transaction() as connection:
        connection.execute(text(statement))
    assert caught.value.code == "DB-CONSTRAINT-001"


@pytest.mark.parametrize("back", ["reserved", "send_started", "settled_actual", "settled_conservative"])
def test_ended_attempt_never_moves_again(database: Database, back: str) -> None:
    open_book(database)
    (key,) = admit(database, ask())
    end(database, key)
    with pytest.raises(StoreError, match="provider_attempt_moves_one_way"), database.transaction() as connection:
        connection.execute(text("UPDATE provider_attempt SET state = :back"), {"back": back})


def test_new_ledger_is_sound(database: Database) -> None:
    with database.transaction() as connection:
        assert drift(connection) == []
