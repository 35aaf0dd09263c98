"""Records of an export, made by hand: events and attempts as a snapshot of the database gives them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from dataset.canonical import Json, content_hash
from dataset.store.audit_export import Selection, Snapshot
from engine.audit.export import fresh_directory, write_archive, write_export

_DAY = "2026-01-02T03:04:"


def event(number: int, **changes: Any) -> dict[str, Any]:
    """An event that holds."""
    payload = changes.pop("payload", {"runs": number})
    return {
        "number": number,
        "key": f"batch_started:b1:{number}",
        "kind": "batch_started",
        "subject": "b1",
        "payload": payload,
        "payload_hash": content_hash(payload),
        "retention": "operational",
        "occurred_at": f"{_DAY}05.000001Z",
        "expires_at": "2026-04-02T03:04:05.000001Z",
        **changes,
    }


def attempt(number: int, **changes: Any) -> dict[str, Any]:
    """A settled attempt that holds."""
    return {
        "call_key": f"call-{number:05}",
        "ordinal": 1,
        "batch_id": "b1",
        "run_id": None,
        "run_attempt": 1,
        "step": 1,
        "provider": "cloud",
        "model_key": "small",
        "role": "candidate",
        "lease_token": 7,
        "policy_hash": "ab" * 32,
        "request_digest": "cd" * 32,
        "state": "settled_actual",
        "minute": f"{_DAY}00.000000Z",
        "reserved_input": 100,
        "reserved_output": 50,
        "actual_input": 90,
        "actual_output": 40,
        "currency": "USD",
        "reserved_cost": "0.5",
        "actual_cost": "0.4",
        "reserved_charge": "0.5",
        "actual_charge": "0.4",
        "status": 200,
        "code": None,
        "reserved_at": f"{_DAY}05.000001Z",
        "sent_at": f"{_DAY}05.000002Z",
        "ended_at": f"{_DAY}06.000000Z",
        **changes,
    }


UNUSED: dict[str, None] = dict.fromkeys(("actual_input", "actual_output", "actual_cost", "actual_charge", "status"))
"""What an attempt doesn't say before it is settled with what it used."""


@dataclass(kw_only=True)
class FixedSnapshot:
    """A snapshot of no database."""

    told: list[dict[str, Any]] = field(default_factory=lambda: [event(1), event(2), event(4)])
    tried: list[dict[str, Any]] = field(default_factory=lambda: [attempt(1), attempt(2), attempt(3)])
    taken_at: datetime = datetime(2026, 5, 1, tzinfo=UTC)

    def events(self, selection: Selection) -> Iterator[Json]:
        return iter(self.told)

    def expired_events(self) -> Iterator[Json]:
        return iter(self.told)

    def attempts(self, selection: Selection) -> Iterator[Json]:
        return iter(self.tried)


def export_of(target: Path, *, archive: bool = False, **content: Any) -> Path:
    """A written export, or archive, of these events (`told`) and attempts (`tried`)."""
    taken = cast("Snapshot", FixedSnapshot(**content))
    with fresh_directory(target) as directory:
        if archive:
            write_archive(directory, taken)
        else:
            write_export(directory, taken, Selection())
    return target
