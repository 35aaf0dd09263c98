"""Encrypted credentials in PostgreSQL. What stands here is sealed: this module never sees a key."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, Row, delete, exists, func, or_, select
from sqlalchemy.dialects.postgresql import insert as upsert

from dataset.record import BatchId
from dataset.store.audit import AuditEvent, record_event
from dataset.store.batch_definition import BatchHashError, stored_definition
from dataset.store.execution_tables import batch_control, credential, slice_
from dataset.store.session import Database
from dataset.store.tables import batch


@dataclass(frozen=True, kw_only=True, slots=True)
class Envelope:
    """A sealed key with everything needed to open it but the ring key that `key_id` names."""

    model_key: str
    origin: str
    algorithm: str
    key_id: str
    nonce: bytes
    ciphertext: bytes


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredEnvelope:
    """An envelope as it stands, and when it was last written (UTC, by the database's clock)."""

    envelope: Envelope
    changed_at: datetime


def credential_lock(connection: Connection, model_keys: Collection[str]) -> None:
    """Waits until no other transaction changes or starts to use the credentials of these models.

    Held to the end of the transaction; taken in one order, so that two takers never wait for each other. What decides
    whether a credential may be changed, or a batch may start, is read after this.
    """
    names = (f"credential {key}".encode("utf-8", "replace") for key in set(model_keys))
    for lock in sorted(int.from_bytes(hashlib.sha256(name).digest()[:8], signed=True) for name in names):
        connection.execute(select(func.pg_advisory_xact_lock(lock)))


class CredentialChange:
    """One transaction that changes the credentials of some models, and tells it in the audit trail."""

    def __init__(self, connection: Connection, model_keys: Collection[str]) -> None:
        self._connection = connection
        self.busy = _batches_using(connection, model_keys)
        """The batches, by id, that may be calling one of the models now."""

    def standing(self, model_key: str) -> StoredEnvelope | None:
        """The envelope of a model; None where none is stored."""
        return _read(self._connection, model_key)

    def put(self, envelope: Envelope) -> None:
        """Stores an envelope in place of the one that stands for its model, where there is one."""
        now = func.statement_timestamp()
        values = {**asdict(envelope), "changed_at": now}
        statement = upsert(credential).values(created_at=now, **values)
        self._connection.execute(statement.on_conflict_do_update(index_elements=["model_key"], set_=values))

    def delete(self, model_key: str) -> None:
        """Removes the envelope of a model."""
        self._connection.execute(delete(credential).where(credential.c.model_key == model_key))

    def record(self, event: AuditEvent) -> None:
        """Tells the change: the event stands exactly where the change does."""
        record_event(self._connection, event)


@contextmanager
def credential_change(database: Database, model_keys: Collection[str]) -> Iterator[CredentialChange]:
    """A change under `credential_lock`; committed at the end of the block, rolled back on any error."""
    with database.transaction() as connection:
        credential_lock(connection, model_keys)
        yield CredentialChange(connection, model_keys)


def read_envelope(database: Database, model_key: str) -> StoredEnvelope | None:
    """The envelope of a model; None where none is stored."""
    with database.transaction() as connection:
        return _read(connection, model_key)


def list_envelopes(database: Database) -> list[StoredEnvelope]:
    """Every envelope, by model key."""
    with database.transaction() as connection:
        return [_stored(row) for row in connection.execute(select(credential).order_by(credential.c.model_key))]


def _batches_using(connection: Connection, model_keys: Collection[str]) -> list[BatchId]:
    """Batches that are wished to run, or of which a worker still holds a slice, and that aren't finished.

    One whose definition can't be read counts for every model.
    """
    held = exists().where(
        slice_.c.batch_id == batch.c.id,
        slice_.c.state == "leased",
        slice_.c.lease_expires_at > func.clock_timestamp(),
    )
    statement = (
        select(batch.c.id, batch.c.definition, batch.c.definition_hash)
        .join(batch_control, batch_control.c.batch_id == batch.c.id)
        .where(batch.c.finished_at.is_(None), or_(batch_control.c.wish == "run", held))
        .order_by(batch.c.id)
    )
    return [
        BatchId(row.id)
        for row in connection.execute(statement)
        if _uses(row.id, row.definition, row.definition_hash, model_keys)
    ]


def _uses(batch_id: str, content: bytes, recorded_hash: str, model_keys: Collection[str]) -> bool:
    try:
        definition = stored_definition(batch_id, content, recorded_hash)
    except BatchHashError:
        return True
    return any(model.key in model_keys for model in definition.models)


def _read(connection: Connection, model_key: str) -> StoredEnvelope | None:
    row = connection.execute(select(credential).where(credential.c.model_key == model_key)).one_or_none()
    return None if row is None else _stored(row)


def _stored(row: Row[Any]) -> StoredEnvelope:
    envelope = Envelope(
        model_key=row.model_key,
        origin=row.origin,
        algorithm=row.algorithm,
        key_id=row.key_id,
        nonce=bytes(row.nonce),
        ciphertext=bytes(row.ciphertext),
    )
    return StoredEnvelope(envelope=envelope, changed_at=row.changed_at.astimezone(UTC))
