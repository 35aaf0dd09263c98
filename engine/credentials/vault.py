"""Changing stored keys: each change, and each refusal, leaves an audit event."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pydantic import SecretStr

from dataset.console import counted
from dataset.record import BatchId
from dataset.store.audit import AuditEvent, AuditKind, record_event_apart
from dataset.store.batch_control import control_of
from dataset.store.batch_figures import lease_holders
from dataset.store.credentials import CredentialChange, StoredEnvelope, credential_change, list_envelopes, read_envelope
from dataset.store.session import Database
from engine.credentials.envelope import seal, unseal
from engine.credentials.errors import (
    CredentialBusyError,
    CredentialError,
    CredentialNotStoredError,
    NothingStoredError,
    OriginChangedError,
    ValueRefusedError,
)
from engine.credentials.key_value import require_usable, stored_origin
from engine.credentials.keyring import Keyring
from engine.credentials.keyring_file import add_ring_key, ensure_keyring, read_keyring
from engine.providers.model_entry import ModelEntry

ReadKey = Callable[[], SecretStr]
"""Asks for a key. It is called before the database is, so that nothing waits for a person."""
KEYRING_SUBJECT = "keyring"
"""What an event about the ring as a whole is about."""
UNNAMED_SUBJECT = "unknown model"
"""What a refusal is about where the name that was given is none that is known."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SetOutcome:
    """The ring key that sealed, whether a key stood there before, and whether the ring was made for it."""

    key_id: str
    replaced: bool
    keyring_created: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class RingRotation:
    """The ring key that is active now, and how many stored keys were sealed with it anew."""

    key_id: str
    resealed: int


class Vault:
    """The stored keys of one database, with the key ring in a file."""

    def __init__(self, *, database: Database, keyring: Path) -> None:
        self._database = database
        self._keyring = keyring

    def set(self, entry: ModelEntry, read_key: ReadKey) -> SetOutcome:
        """Stores a model's key, in place of whatever stood there. CredentialError where it is refused."""
        with self._audited("set", entry.key) as operation:
            origin = stored_origin(entry)
            value = read_key()
            require_usable(value, entry)
            ring, created = self._ensured_ring()
            with self._change([entry.key]) as change:
                replaced = change.standing(entry.key) is not None
                change.put(seal(ring, model_key=entry.key, origin=origin, value=value))
                payload = {"key_id": ring.active.id, "replaced": replaced}
                change.record(_event("credential_set", operation, entry.key, payload))
        return SetOutcome(key_id=ring.active.id, replaced=replaced, keyring_created=created)

    def rotate(self, entry: ModelEntry, read_key: ReadKey) -> str:
        """Replaces a key that stands and opens by another one; the id of the ring key that sealed it."""
        with self._audited("rotate", entry.key) as operation:
            origin = stored_origin(entry)
            ring = read_keyring(self._keyring)
            value = read_key()
            require_usable(value, entry)
            with self._change([entry.key]) as change:
                _require_other(change.standing(entry.key), ring, entry.key, origin, value)
                change.put(seal(ring, model_key=entry.key, origin=origin, value=value))
                payload = {"key_id": ring.active.id}
                change.record(_event("credential_rotated", operation, entry.key, payload))
        return ring.active.id

    def remove(self, model_key: str) -> None:
        """Removes a model's key, whether it opens or not; the model may have left the registry.

        Where nothing is stored under the name, neither the error nor the audit trail repeats it: it may be a key.
        """
        if read_envelope(self._database, model_key) is None:
            with self._audited("remove", UNNAMED_SUBJECT):
                raise NothingStoredError
        with self._audited("remove", model_key) as operation, self._change([model_key]) as change:
            standing = change.standing(model_key)
            if standing is None:  # removed by another in the meantime
                raise CredentialNotStoredError(model_key)
            change.delete(model_key)
            payload = {"key_id": standing.envelope.key_id}
            change.record(_event("credential_removed", operation, model_key, payload))

    def rotate_ring(self) -> RingRotation:
        """Adds a key to the ring and seals every stored key with it; nothing is changed where one doesn't open.

        The ring is safe in its file before the first row is written, and keeps its older keys: a process that is
        killed in between leaves every row readable.
        """
        model_keys = [stored.envelope.model_key for stored in list_envelopes(self._database)]
        with self._audited("rotate_ring", KEYRING_SUBJECT) as operation, self._change(model_keys) as change:
            old = read_keyring(self._keyring)
            standing = [stored.envelope for key in model_keys if (stored := change.standing(key)) is not None]
            opened = [(envelope, unseal(old, envelope)) for envelope in standing]
            ring = add_ring_key(self._keyring)
            for envelope, value in opened:
                change.put(seal(ring, model_key=envelope.model_key, origin=envelope.origin, value=value))
            payload = {"key_id": ring.active.id, "previous_key_id": old.active.id, "resealed": len(opened)}
            change.record(_event("keyring_rotated", operation, KEYRING_SUBJECT, payload))
        return RingRotation(key_id=ring.active.id, resealed=len(opened))

    def _ensured_ring(self) -> tuple[Keyring, bool]:
        ring, created = ensure_keyring(self._keyring)
        if created:
            key_id = ring.active.id
            record_event_apart(self._database, _event("keyring_created", key_id, KEYRING_SUBJECT, {"key_id": key_id}))
        return ring, created

    @contextmanager
    def _change(self, model_keys: Collection[str]) -> Iterator[CredentialChange]:
        """A change of credentials that no active batch uses; CredentialBusyError."""
        with credential_change(self._database, model_keys) as change:
            if change.busy:
                raise _busy(self._database, change.busy)
            yield change

    @contextmanager
    def _audited(self, action: str, subject: str) -> Iterator[str]:
        """Names an operation. Its refusal is recorded apart, because its transaction is rolled back."""
        operation = secrets.token_hex(16)
        try:
            yield operation
        except CredentialError as error:
            payload = {"action": action, "reason": error.reason}
            record_event_apart(self._database, _event("credential_refused", operation, subject, payload))
            raise


def _require_other(
    standing: StoredEnvelope | None, ring: Keyring, model_key: str, origin: str, value: SecretStr
) -> None:
    if standing is None:
        raise CredentialNotStoredError(model_key)
    if standing.envelope.origin != origin:
        raise OriginChangedError(model_key)
    if unseal(ring, standing.envelope).get_secret_value() == value.get_secret_value():
        raise ValueRefusedError(
            f"this is the key of model {model_key!r} that stands already",
            hint="make a new one at the provider and give that one",
            code="CRED-VALUE-003",
            reason="value_unchanged",
        )


def _busy(database: Database, batch_ids: Sequence[BatchId]) -> CredentialBusyError:
    """Why the key can't be changed now; a paused batch is busy for as long as its workers hold slices."""
    first = batch_ids[0]
    with database.transaction() as connection:
        paused = control_of(connection, first).wish == "pause"
        held = sum(lease_holders(connection).get(first, {}).values())
    such = counted(len(batch_ids), "such batch", "such batches")
    if paused:
        return CredentialBusyError(
            f"batch {first} uses this key and is paused; its workers still hold {counted(held, 'slice')} ({such})",
            hint=f"wait until `glassbench batch status {first}` shows none in hand, then run the command again",
        )
    return CredentialBusyError(
        f"batch {first} is active and uses this key ({such})",
        hint="wait for its end, or pause it, then run the command again",
    )


def _event(kind: AuditKind, operation: str, subject: str, payload: Mapping[str, object]) -> AuditEvent:
    return AuditEvent(
        key=f"{kind}/{operation}", kind=kind, subject=subject, payload=dict(payload), retention="security"
    )
