"""What may stand in a log line: fixed events, and fields whose value has a form of its own. All else is dropped.

Nothing that a model, a server or a library wrote has such a form, so none of it can reach a log, whoever logs it.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Collection, Mapping
from typing import Any, Literal, get_args

from dataset.artifacts.artifact import Verdict
from engine.batches.observer import Outcome
from engine.providers.interface import ProviderErrorCode

EventName = Literal[
    "worker_started",
    "worker_stopping",
    "worker_stopped",
    "worker_failed",
    "slice_served",
    "run_invalid",
    "batch_ended",
    "lease_lost",
    "put_in_order",
    "fault",
    "library_log",
]
"""Every event there is; docs/reference/logs.md says what each one means."""
Level = Literal["info", "warning", "error"]
Library = Literal["asyncio", "aiohttp", "alembic", "procrastinate", "psycopg", "sqlalchemy", "py.warnings", "other"]
LIBRARIES: tuple[Library, ...] = get_args(Library)

Scalar = str | int
_MOST_LISTED = 50
_LARGEST = 2**53
_OWN_CODE = re.compile(r"[A-Z]{2,12}(-[A-Z0-9]{2,12}){0,2}-\d{3}")


def _formed(pattern: str) -> Callable[[Any], Scalar | None]:
    compiled = re.compile(pattern)
    return lambda value: value if isinstance(value, str) and compiled.fullmatch(value) else None


def _one_of(values: Collection[str]) -> Callable[[Any], Scalar | None]:
    return lambda value: value if isinstance(value, str) and value in values else None


def _count(value: Any) -> Scalar | None:
    return value if type(value) is int and 0 <= value <= _LARGEST else None


def _code(value: Any) -> Scalar | None:
    """A stable code: one of ours by its form, or a class of a provider's failure."""
    known = isinstance(value, str) and (value in get_args(ProviderErrorCode) or _OWN_CODE.fullmatch(value))
    return value if known else None


def _address(value: Any) -> Scalar | None:
    try:
        return str(ipaddress.ip_address(value)) if isinstance(value, str) else None
    except ValueError:
        return None


_BATCH_ID = _formed(r"[a-z0-9][a-z0-9-]{0,63}")


def _batch_ids(value: Any) -> list[Scalar] | None:
    if not isinstance(value, list | tuple):
        return None
    return [found for item in value[:_MOST_LISTED] if (found := _BATCH_ID(item)) is not None]


FIELDS: Mapping[str, Callable[[Any], Scalar | list[Scalar] | None]] = {
    "level": _one_of(get_args(Level)),
    "batch_id": _BATCH_ID,
    "batch_ids": _batch_ids,
    "worker": _formed(r"[A-Za-z0-9.-]{1,120}/\d{1,10}/\d{1,20}/[0-9a-f]{8}"),
    "artifact_hash": _formed(r"[0-9a-f]{64}"),
    "outcome": _one_of(get_args(Outcome)),
    "code": _code,
    "error_type": _formed(r"[A-Za-z_][A-Za-z0-9_]{0,63}"),
    "library": _one_of(LIBRARIES),
    "address": _address,
    "port": _count,
    "slices": _count,
    "runs": _count,
    **dict.fromkeys(get_args(Verdict), _count),
    "expired": _count,
    "released": _count,
    "settled": _count,
    "repeated": _count,
}
"""Every field there is, with the check that its value passes as it is or not at all."""


def allowed(event: object, fields: Mapping[str, Any]) -> dict[str, Any]:
    """The event with those of its fields that may be told; an event nobody knows is told as `library_log`."""
    known = isinstance(event, str) and event in get_args(EventName)
    kept = {name: FIELDS[name](value) for name, value in fields.items() if name in FIELDS}
    return {
        "event": event if known else "library_log",
        **{name: value for name, value in kept.items() if value is not None},
    }
