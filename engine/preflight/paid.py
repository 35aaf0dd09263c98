"""Which models may cost money, and so are asked once before they are asked for a whole batch."""

from __future__ import annotations

from urllib.parse import urlsplit

from engine.providers.model_entry import ModelEntry, is_loopback


def is_paid(entry: ModelEntry) -> bool:
    """Whether asking this model may have to be paid for: all but scripted models and servers on this machine that need
    neither a price nor a key."""
    if entry.synthetic:
        return False
    has_key = entry.credential_env is not None or entry.stored_credential
    return entry.price is not None or has_key or not is_loopback(urlsplit(entry.base_url or "").hostname or "")


def host_of(entry: ModelEntry) -> str:
    """Where a model answers, as host and port; `this process` for a scripted one."""
    return urlsplit(entry.base_url).netloc if entry.base_url else "this process"
