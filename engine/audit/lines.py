"""What a line of an export holds: a record of the audit trail or of the ledger, chained to the line before it."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from dataset.canonical import Json, sha256_hex
from dataset.record import DecimalText, Record, Sha256
from dataset.store.attempt import AttemptRole, AttemptState, ScopeKind
from dataset.store.audit import AuditKind, Retention

EVENTS_FILE = "events.jsonl"
ATTEMPTS_FILE = "attempts.jsonl"
MANIFEST_FILE = "manifest.json"
FIRST_LINK = "0" * 64
"""What the first line of a file is chained to."""

Moment = Annotated[str, StringConstraints(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$")]
"""UTC to the microsecond, as the database keeps it."""
_Count = Annotated[int, Field(ge=0, strict=True)]
_Number = Annotated[int, Field(ge=1, strict=True)]


class EventLine(Record):
    """An audit event."""

    number: _Number
    key: str
    kind: AuditKind
    subject: str
    payload: Json
    payload_hash: Sha256
    retention: Retention
    occurred_at: Moment
    expires_at: Moment


class AttemptLine(Record):
    """An attempt of the ledger, with every column."""

    call_key: str
    ordinal: _Count
    batch_id: str
    run_id: str | None
    run_attempt: _Count | None
    step: _Count | None
    provider: str
    model_key: str
    role: AttemptRole
    lease_token: _Count | None
    policy_hash: Sha256
    request_digest: Sha256
    state: AttemptState
    minute: Moment
    reserved_input: _Count | None
    reserved_output: _Count | None
    actual_input: _Count | None
    actual_output: _Count | None
    currency: str | None
    reserved_cost: DecimalText | None
    actual_cost: DecimalText | None
    reserved_charge: DecimalText | None
    actual_charge: DecimalText | None
    status: _Count | None
    code: str | None
    reserved_at: Moment
    sent_at: Moment | None
    ended_at: Moment | None


class FileFacts(Record):
    """A file of an export: how many lines and bytes, the sha256 of them, and the link of the last line."""

    lines: _Count
    bytes: _Count
    sha256: Sha256
    chain: Sha256


class EventFacts(Record):
    """The events of an export: numbers of the first and last one, and how many of each kind."""

    first_number: _Number | None
    last_number: _Number | None
    by_kind: dict[str, _Number]


class ScopeTotals(Record):
    """What the attempts of one scope count, as the ledger counts them, and how many there are of each state."""

    kind: ScopeKind
    key: str
    attempts: dict[AttemptState, _Number]
    active: _Count
    requests: _Count
    tokens: _Count
    reserved_tokens: _Count
    charge: DecimalText
    reserved_charge: DecimalText


class Choice(Record):
    """What was exported: all of it where nothing is said."""

    since: Moment | None
    kinds: tuple[AuditKind, ...]
    batch: str | None


class Manifest(Record):
    """What an export holds. `totals` is None where it holds no attempts."""

    format: Literal["glassbench-ledger-export/1"]
    purpose: Literal["export", "archive"]
    taken_at: Moment
    selection: Choice
    files: dict[str, FileFacts]
    events: EventFacts
    totals: tuple[ScopeTotals, ...] | None


def link(previous: str, record: bytes) -> str:
    """The link of a line: sha256 of the link before it and of its own record's canonical bytes."""
    return sha256_hex(previous.encode() + record)


def line_bytes(chain: str, record: bytes) -> bytes:
    """The canonical bytes of a line, with its end."""
    return b'{"chain":"' + chain.encode() + b'","record":' + record + b"}\n"


def record_bytes(line: bytes) -> bytes:
    """The record's bytes in a canonical line that holds exactly `chain` and `record`."""
    return line[len(line_bytes(FIRST_LINK, b"")) - 2 : -1]


def moment(value: datetime) -> str:
    """A time with a zone as a line has it."""
    return value.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
