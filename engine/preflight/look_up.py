"""What a server's own list says of the model that is to be asked. It costs nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from dataset.errors import GlassbenchError
from engine.preflight.errors import PreflightError
from engine.preflight.naming import closest
from engine.preflight.paid import host_of
from engine.preflight.subject import Subject
from engine.providers.call_failure import CallFailure
from engine.providers.discovery import Listing, NoListing, discover

Listed = Literal["listed", "no_list", "not_on_first_page"]


@dataclass(frozen=True, kw_only=True, slots=True)
class LookedUp:
    """How a model stands in its server's list; `told` says so to a person."""

    subject: Subject
    listed: Listed
    told: str


async def look_up(subjects: Sequence[Subject]) -> list[LookedUp | GlassbenchError]:
    """For each model how it is listed, or why it may not be asked. All servers are asked at once."""
    return list(await asyncio.gather(*map(_look_up, subjects)))


async def _look_up(subject: Subject) -> LookedUp | GlassbenchError:
    found = await discover(subject.entry, subject.codec, subject.key)
    match found:
        case CallFailure():
            return cannot_be_asked(subject, f"{found.code}: {found.message}")
        case NoListing(status=status):
            told = f"its server has no list of models (HTTP {status})"
            return LookedUp(subject=subject, listed="no_list", told=told)
        case Listing():
            return _in_list(subject, found)


def _in_list(subject: Subject, listing: Listing) -> LookedUp | GlassbenchError:
    entry, count = subject.entry, len(listing.ids)
    if listing.echoes_key:
        return PreflightError(
            f"model {entry.key}: the list of models at {host_of(entry)} repeats the key of this entry",
            code="PREFLIGHT-KEY-001",
            hint="something there reflects what it is sent: don't trust it, revoke the key, and check base_url",
        )
    if entry.model_id in listing.ids:
        others = f", one of {count}" if count > 1 else ""
        return LookedUp(subject=subject, listed="listed", told=f"its server lists {entry.model_id}{others}")
    if not listing.whole:
        told = f"its server lists more models than one page holds, and {entry.model_id} isn't on the first"
        return LookedUp(subject=subject, listed="not_on_first_page", told=told)
    near = closest(entry.model_id, listing.ids)
    known = f"the closest: {', '.join(near)}" if near else "none of them is like it"
    listed = "1 model" if count == 1 else f"{count} models"
    return PreflightError(
        f"model {entry.key}: {host_of(entry)} lists {listed}, and {entry.model_id!r} isn't among them; {known}",
        code="PREFLIGHT-MODEL-001",
        hint="none is guessed: set model_id in its entry to the one you mean, and create a new batch",
    )


def cannot_be_asked(subject: Subject, reason: str) -> PreflightError:
    """The refusal for a model that gives no answer; the same code as where that shows in the middle of a batch."""
    return PreflightError(
        f"model {subject.entry.key} can't be asked: {reason}",
        hint="mend its entry, its key or its server, then run the batch again: only what is missing is run",
    )
