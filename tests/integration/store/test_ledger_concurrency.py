"""Many connections at once against a real server: whatever the order, no limit is passed and every total is right."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from functools import partial
from typing import Any

import pytest
from sqlalchemy import text

from dataset.store.attempt import Admitted, AttemptKey, Deferred, Denied, Settlement
from dataset.store.ledger import mark_sent, reconcile, reserve, settle
from dataset.store.ledger_drift import require_sound
from dataset.store.policies import ensure_policy
from dataset.store.session import Database
from engine.ledger.admission import decide
from engine.ledger.policy import DEFAULT_POLICY, Policy
from engine.ledger.terms import Terms
from tests.integration.store.ledger_book import ask, open_book, try_all

THREADS = 6


def all_at_once(work: Callable[[int], Any]) -> list[Any]:
    """The results of one call a thread, all started together."""
    barrier = threading.Barrier(THREADS)

    def started(number: int) -> Any:
        barrier.wait()
        return work(number)

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(started, range(THREADS)))


@pytest.mark.parametrize(
    ("limits", "most"),
    [
        ({"concurrency": 7}, 7),
        ({"requests_per_minute": 7}, 7),
        ({"tokens_per_minute": 150 * 7}, 7),
        ({"requests": 7}, 7),
        ({"tokens": 150 * 7}, 7),
        ({"cost": "3.5"}, 7),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
@pytest.mark.parametrize("scope", ["global", "provider", "model", "batch"])
def test_reservations_of_many_connections_never_pass_a_limit(
    database: Database, limits: dict[str, Any], most: int, scope: str
) -> None:
    policy = Policy.model_validate({scope: limits if scope == "global" else {"*": limits}})
    open_book(database, policy)

    def reserve_group(thread: int) -> list[Any]:
        found = []
        for group in range(3):
            asked = [ask(thread * 100 + group * 10 + n, policy=policy) for n in range(2)]
            found += try_all(database, *asked, policy=policy, input_reservation=0)
        return found

    decisions = [decision for group in all_at_once(reserve_group) for decision in group]
    admitted = sum(isinstance(decision, Admitted) for decision in decisions)
    # A minute may end in between; then up to a second minute's worth is right, but only for a rate.
    assert admitted == most or ("per_minute" in next(iter(limits)) and most < admitted <= 2 * most)
    assert all(isinstance(decision, Admitted | Deferred) for decision in decisions)
    with database.transaction() as connection:
        require_sound(connection)


def test_storm_of_every_kind_leaves_a_sound_ledger_within_its_budget(database: Database) -> None:
    policy = Policy.model_validate({"global": {"concurrency": 9}, "batch": {"*": {"cost": "20"}}})
    open_book(database, policy)
    rule = partial(decide, Terms(policy=policy, input_reservation=0))

    def run(thread: int) -> tuple[int, int]:
        admitted = denied = 0
        waiting: list[AttemptKey] = []
        for group in range(12):
            asked = [ask(thread * 1000 + group * 10 + n, policy=policy, lease_token=thread) for n in range(4)]
            with database.transaction() as connection:
                ends = [
                    Settlement(call_key=k.call_key, ordinal=1, input_tokens=90, output_tokens=20, charge=Decimal("0.4"))
                    for k in waiting[::2]
                ]
                assert settle(connection, ends) == []
                reconcile(connection, [thread] if group % 5 == 4 else [])
                decisions = reserve(connection, asked, rule)
                mark_sent(connection, [])
            waiting = [a.key for a, d in zip(asked, decisions, strict=True) if isinstance(d, Admitted)]
            with database.transaction() as connection:
                assert mark_sent(connection, waiting) == set(waiting)
            admitted += len(waiting)
            denied += sum(isinstance(decision, Denied) for decision in decisions)
            with database.transaction() as connection:
                active, charge = connection.execute(
                    text("SELECT active, charge FROM ledger_scope WHERE kind = 'global'")
                ).one()
                assert active <= 9
                assert charge <= 20
            with database.transaction() as connection:
                settle(connection, [Settlement(call_key=k.call_key, ordinal=1, code="x") for k in waiting[1::2]])
        return admitted, denied

    results = all_at_once(run)
    with database.transaction() as connection:
        require_sound(connection)
    assert sum(admitted for admitted, _ in results) >= 40
    assert sum(denied for _, denied in results) > 0


def test_first_policy_is_made_once_by_however_many_ask(database: Database) -> None:
    def ask_for_it(_: int) -> str:
        with database.transaction() as connection:
            return ensure_policy(connection, DEFAULT_POLICY.content()).hash

    assert set(all_at_once(ask_for_it)) == {DEFAULT_POLICY.digest()}
    with database.transaction() as connection:
        assert connection.execute(text("SELECT count(*) FROM policy_activation")).scalar_one() == 1


def test_first_admissions_of_many_connections_create_their_scopes_once(database: Database) -> None:
    open_book(database)
    decisions = all_at_once(lambda thread: try_all(database, ask(thread, provider=f"p{thread % 2}")))
    assert decisions == [[Admitted()]] * THREADS
    with database.transaction() as connection:
        require_sound(connection)
