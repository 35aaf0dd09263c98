"""What a single event or attempt must be by itself, whatever stands around it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from dataset.canonical import content_hash
from dataset.store.attempt import AttemptState
from dataset.store.audit import RETENTION_DAYS
from engine.audit.lines import AttemptLine, EventLine

_SENT: dict[AttemptState, bool] = {
    "reserved": False,
    "send_started": True,
    "settled_actual": True,
    "settled_conservative": True,
    "released_pre_send": False,
}
_ENDED: dict[AttemptState, bool] = {
    "reserved": False,
    "send_started": False,
    "settled_actual": True,
    "settled_conservative": True,
    "released_pre_send": True,
}


def event_faults(event: EventLine) -> Iterator[str]:
    """What is wrong with an event: its payload's hash, or the time it is kept."""
    if content_hash(event.payload) != event.payload_hash:
        yield "the payload doesn't have the hash recorded for it"
    occurred, expires = _time(event.occurred_at), _time(event.expires_at)
    if occurred is None or expires is None:
        yield "a time that isn't in the calendar"
    elif expires - occurred < timedelta(days=RETENTION_DAYS[event.retention]):
        yield f"expires before its class, {event.retention}, allows"


def attempt_faults(attempt: AttemptLine) -> Iterator[str]:
    """What is wrong with an attempt: how it came to its state, when, and with which figures."""
    times = [attempt.minute, attempt.reserved_at, attempt.sent_at, attempt.ended_at]
    stated = [text for text in times if text is not None]
    if None in map(_time, stated):
        yield "a time that isn't in the calendar"
    elif stated != sorted(stated):
        yield "was not reserved, sent and ended in this order"
    if (attempt.sent_at is not None) != _SENT[attempt.state]:
        yield f"is {attempt.state} and {'was' if attempt.sent_at else 'was not'} marked as sent"
    if (attempt.ended_at is not None) != _ENDED[attempt.state]:
        yield f"is {attempt.state} and {'has' if attempt.ended_at else 'has not'} ended"
    yield from _figure_faults(attempt)


def _figure_faults(attempt: AttemptLine) -> Iterator[str]:
    known = attempt.state == "settled_actual"
    used = (attempt.actual_input, attempt.actual_output)
    if known and None in used:
        yield "is settled_actual without the tokens it used"
    amounts = (attempt.actual_cost, attempt.actual_charge)
    if not known and any(figure is not None for figure in (*used, *amounts)):
        yield f"is {attempt.state} and says what it used"
    if attempt.status is not None and not (_SENT[attempt.state] and _ENDED[attempt.state]):
        yield f"is {attempt.state} and has a status of HTTP"
    if attempt.currency is None and (attempt.reserved_cost is not None or attempt.actual_cost is not None):
        yield "has a cost without a currency"
    if any(
        text is not None and text.startswith("-") for text in (*amounts, attempt.reserved_cost, attempt.reserved_charge)
    ):
        yield "has an amount below zero"


def _time(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None
