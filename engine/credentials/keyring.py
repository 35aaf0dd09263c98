"""The ring of keys that stored credentials are sealed with: several keys by id, the newest one active."""

from __future__ import annotations

import base64
import binascii
import secrets
from dataclasses import dataclass, field
from typing import Annotated, Literal

from pydantic import Field, StringConstraints, ValidationError, model_validator

from dataset.canonical import canonical_bytes
from dataset.record import Record

KEY_BYTES = 32
"""The length of a key of AES-256."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RingKey:
    """One key of the ring. It has no representation that shows it."""

    id: str
    secret: bytes = field(repr=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class Keyring:
    """Keys in the order in which they were made. The last one is active; the others open what they once sealed."""

    keys: tuple[RingKey, ...]

    @property
    def active(self) -> RingKey:
        """The key that seals now."""
        return self.keys[-1]

    def key(self, key_id: str) -> RingKey | None:
        """The key with this id; None where the ring doesn't have it."""
        return next((key for key in self.keys if key.id == key_id), None)

    def with_new_key(self) -> Keyring:
        """The ring with one more key, which is active."""
        return Keyring(keys=(*self.keys, new_ring_key()))

    def to_bytes(self) -> bytes:
        """The ring as its file holds it."""
        body = {
            "schema": _SCHEMA,
            "active": self.active.id,
            "keys": [{"id": key.id, "secret": base64.b64encode(key.secret).decode()} for key in self.keys],
        }
        return canonical_bytes(body) + b"\n"


_SCHEMA: Literal["glassbench-keyring/1"] = "glassbench-keyring/1"


class _KeyRecord(Record):
    id: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{16}$")]
    secret: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9+/]{43}=$")]


class _RingRecord(Record):
    schema_: Annotated[Literal["glassbench-keyring/1"], Field(alias="schema")]
    active: str
    keys: Annotated[tuple[_KeyRecord, ...], Field(min_length=1, max_length=1000)]

    @model_validator(mode="after")
    def _hangs_together(self) -> _RingRecord:
        ids = [key.id for key in self.keys]
        if len(set(ids)) != len(ids) or self.active != ids[-1]:
            raise ValueError("ids repeat, or the last one isn't active")
        return self


def new_ring_key() -> RingKey:
    """A random key under a random id."""
    return RingKey(id=secrets.token_hex(8), secret=secrets.token_bytes(KEY_BYTES))


def parse_keyring(data: bytes) -> Keyring | None:
    """The ring in these bytes; None where they are none. What is wrong isn't said: it would quote the keys."""
    try:
        record = _RingRecord.model_validate_json(data)
        return Keyring(
            keys=tuple(RingKey(id=key.id, secret=base64.b64decode(key.secret, validate=True)) for key in record.keys)
        )
    except (ValidationError, binascii.Error):
        return None
