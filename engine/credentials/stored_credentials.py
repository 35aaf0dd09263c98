"""Using stored keys: opening the one of a model, and saying which of them open."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from pydantic import SecretStr

from dataset.store.audit import AuditEvent, record_event_apart
from dataset.store.credentials import StoredEnvelope, list_envelopes, read_envelope
from dataset.store.session import Database
from engine.credentials.envelope import origin_of, unseal
from engine.credentials.errors import CredentialError, CredentialNotStoredError, OriginChangedError
from engine.credentials.keyring_file import read_keyring
from engine.providers.credential import takes_stored_key
from engine.providers.model_entry import ModelEntry


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredState:
    """What may be shown of a stored key. `fault` is None where it opens and may be used, else says why not."""

    model_key: str
    origin: str | None
    key_id: str | None
    changed_at: datetime | None
    fault: CredentialError | None


class StoredCredentials:
    """The store as a source of keys. The ring is read anew for each, so that a ring that was mended is seen."""

    def __init__(self, *, database: Database, keyring: Path) -> None:
        self._database = database
        self._keyring = keyring

    def resolve(self, entry: ModelEntry) -> str | None:
        """The stored key of a model; None where its entry asks for none.

        CredentialError where it isn't there, doesn't open, or was stored for another origin; an audit event says so.
        """
        if not takes_stored_key(entry) or entry.base_url is None:
            return None
        stored = read_envelope(self._database, entry.key)
        try:
            if stored is None:
                raise CredentialNotStoredError(entry.key)
            if stored.envelope.origin != origin_of(entry.base_url):
                raise OriginChangedError(entry.key)
            return unseal(read_keyring(self._keyring), stored.envelope).get_secret_value()
        except CredentialError as error:
            self._record_unreadable(entry.key, error)
            raise

    def open_all(self) -> tuple[dict[str, SecretStr], dict[str, CredentialError]]:
        """Every stored key that opens, whatever the registry says of its model; and why the others don't."""
        values: dict[str, SecretStr] = {}
        faults: dict[str, CredentialError] = {}
        for stored in list_envelopes(self._database):
            try:
                values[stored.envelope.model_key] = unseal(read_keyring(self._keyring), stored.envelope)
            except CredentialError as error:
                faults[stored.envelope.model_key] = error
        return values, faults

    def states(self, entries: Iterable[ModelEntry]) -> list[StoredState]:
        """Every stored key, and every model that waits for one, by model key."""
        known = {entry.key: entry for entry in entries}
        found = {stored.envelope.model_key: stored for stored in list_envelopes(self._database)}
        waiting = {key for key, entry in known.items() if takes_stored_key(entry)}
        return [self._state(key, found.get(key), known.get(key)) for key in sorted(waiting | set(found))]

    def _state(self, key: str, stored: StoredEnvelope | None, entry: ModelEntry | None) -> StoredState:
        if stored is None:
            fault = CredentialNotStoredError(key)
            return StoredState(model_key=key, origin=None, key_id=None, changed_at=None, fault=fault)
        return StoredState(
            model_key=key,
            origin=stored.envelope.origin,
            key_id=stored.envelope.key_id,
            changed_at=stored.changed_at,
            fault=self._fault(stored, entry),
        )

    def _fault(self, stored: StoredEnvelope, entry: ModelEntry | None) -> CredentialError | None:
        envelope = stored.envelope
        if entry is not None and entry.base_url is not None and origin_of(entry.base_url) != envelope.origin:
            return OriginChangedError(envelope.model_key)
        try:
            unseal(read_keyring(self._keyring), envelope)
        except CredentialError as error:
            return error
        return None

    def _record_unreadable(self, model_key: str, error: CredentialError) -> None:
        event = AuditEvent(
            key=f"credential_unreadable/{secrets.token_hex(16)}",
            kind="credential_unreadable",
            subject=model_key,
            payload={"reason": error.reason},
            retention="security",
        )
        record_event_apart(self._database, event)
