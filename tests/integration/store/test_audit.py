"""The audit trail in PostgreSQL: written once, under one key, with a time to keep it."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import delete, select, update

from dataset.canonical import CanonicalError
from dataset.store.audit import AuditConflictError, AuditEvent, Retention, record_event
from dataset.store.errors import StoreError
from dataset.store.execution_tables import audit_event
from dataset.store.session import Database

EVENT = AuditEvent(
    key="batch-started:b1:1", kind="batch_started", subject="b1", payload={"runs": 3}, retention="operational"
)


def _record(database: Database, event: AuditEvent) -> bool:
    with database.transaction() as connection:
        return record_event(connection, event)


def test_an_event_told_twice_stands_once(database: Database) -> None:
    assert _record(database, EVENT) is True
    assert _record(database, EVENT) is False
    with database.transaction() as connection:
        assert len(connection.execute(select(audit_event)).all()) == 1


@pytest.mark.parametrize(
    "other",
    [replace(EVENT, payload={"runs": 4}), replace(EVENT, kind="batch_paused"), replace(EVENT, subject="b2")],
    ids=["payload", "kind", "subject"],
)
def test_another_event_under_the_same_key_is_refused(database: Database, other: AuditEvent) -> None:
    _record(database, EVENT)
    with pytest.raises(AuditConflictError, match="batch-started:b1:1"):
        _record(database, other)


@pytest.mark.parametrize(("retention", "days"), [("operational", 90), ("security", 365)])
def test_an_event_is_kept_for_as_long_as_its_class_says(database: Database, retention: Retention, days: int) -> None:
    _record(database, replace(EVENT, retention=retention))
    with database.transaction() as connection:
        connection.exec_driver_sql("SET LOCAL TIME ZONE 'Europe/Berlin'")
        row = connection.execute(select(audit_event)).one()
    assert row.expires_at - row.occurred_at == timedelta(days=days)


def test_a_payload_without_a_canonical_form_is_refused(database: Database) -> None:
    with pytest.raises(CanonicalError):
        _record(database, replace(EVENT, payload={"rate": 0.5}))


def test_an_event_is_neither_changed_nor_deleted(database: Database) -> None:
    _record(database, EVENT)
    with pytest.raises(StoreError, match="PostgreSQL"), database.transaction() as connection:
        connection.execute(update(audit_event).values(subject="b2"))
    with pytest.raises(StoreError, match="audit_event_is_kept"), database.transaction() as connection:
        connection.execute(delete(audit_event))
