"""Any history of the ledger's operations, in any order and repeated, leaves totals that equal a recomputation."""

from __future__ import annotations

import itertools
from collections import defaultdict
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import text

from dataset.store.attempt import Admitted, AttemptKey, Scope, Settlement, scopes_of
from dataset.store.ledger import mark_sent, reconcile, reserve, settle
from dataset.store.ledger_drift import drift
from dataset.store.ledger_rows import list_attempts
from dataset.store.ledger_totals import Counted, Figures, count
from dataset.store.session import Database
from tests.integration.store.ledger_book import ask, open_book

tokens = st.one_of(st.none(), st.integers(0, 1000))
money = st.one_of(st.none(), st.decimals(0, 10, places=12, allow_nan=False))
numbers = st.integers(0, 3)
EXAMPLES = itertools.count()
reservations = st.tuples(
    st.just("reserve"),
    st.fixed_dictionaries(
        {
            "number": numbers,
            "ordinal": st.integers(1, 2),
            "provider": st.sampled_from(["cloud", "other"]),
            "model_key": st.sampled_from(["small", "large"]),
            "lease_token": st.one_of(st.none(), st.integers(1, 3)),
            "input_tokens": tokens,
            "output_tokens": tokens,
            "cost": money,
            "charge": money,
        }
    ),
)
marks = st.tuples(st.just("mark"), st.fixed_dictionaries({"number": numbers, "ordinal": st.integers(1, 2)}))
ends = st.tuples(
    st.just("settle"),
    st.fixed_dictionaries(
        {
            "number": numbers,
            "ordinal": st.integers(1, 2),
            "input_tokens": tokens,
            "output_tokens": tokens,
            "cost": money,
            "charge": money,
            "code": st.one_of(st.none(), st.just("read_timeout")),
            "status": st.one_of(st.none(), st.just(200)),
        }
    ),
)
closings = st.tuples(st.just("reconcile"), st.lists(st.integers(1, 3), max_size=2))
groups = st.lists(st.lists(st.one_of(reservations, marks, ends, closings), max_size=6), max_size=8)


@pytest.fixture
def book(database: Database) -> Database:
    open_book(database)
    return database


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(history=groups)
def test_any_history_leaves_totals_that_equal_a_recomputation(book: Database, history: list[list[Any]]) -> None:
    example = next(EXAMPLES)
    for group in history:
        with book.transaction() as connection:
            for kind, told in group:
                apply(connection, example, kind, told)
        with book.transaction() as connection:
            assert drift(connection) == []
    with book.transaction() as connection:
        kept = {
            Scope(row.kind, row.key): Counted(*tuple(row)[2:])
            for row in connection.execute(text("SELECT * FROM ledger_scope"))
            if any(tuple(row)[2:])
        }
        assert kept == counted_again(connection)


def apply(connection: Any, example: int, kind: str, told: Any) -> None:
    """One operation; each example has calls of its own, in the ledger that those before it have left."""
    if kind == "reserve":
        reserve(connection, [ask(**named(example, told))], lambda *_: Admitted())
    elif kind == "mark":
        mark_sent(connection, [AttemptKey(**named(example, told))])
    elif kind == "settle":
        settle(connection, [Settlement(**named(example, told))])
    else:
        reconcile(connection, told, unleased_for=timedelta(0))


def named(example: int, told: dict[str, Any]) -> dict[str, Any]:
    """The operation with its call's number made a key."""
    rest = {name: value for name, value in told.items() if name != "number"}
    return {"call_key": f"example-{example}-call-{told['number']}", **rest}


def counted_again(connection: Any) -> dict[Scope, Counted]:
    """The totals as the rule for one attempt says them: a second way to the same numbers."""
    sums: dict[Scope, list[Any]] = defaultdict(lambda: [0, 0, 0, 0, Decimal(0), Decimal(0), False])
    for row in list_attempts(connection):
        counted = count(
            Figures(
                row.state,
                row.reserved_input,
                row.reserved_output,
                row.reserved_charge,
                row.actual_input,
                row.actual_output,
                row.actual_charge,
            )
        )
        for scope in scopes_of(row.provider, row.model_key, row.batch_id):
            sums[scope] = [a + b for a, b in zip(sums[scope][:6], counted[:6], strict=True)] + [
                sums[scope][6] or counted.overdrawn
            ]
    return {scope: Counted(*figures) for scope, figures in sums.items() if any(figures)}
