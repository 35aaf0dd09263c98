"""Which models a server says it has: one `GET {base_url}/models`, which costs nothing, before anything is asked."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import aiohttp

from dataset.version import installed_version
from engine.providers.call_failure import CallFailure, failure_of_status
from engine.providers.connections import failure_of_transport, open_session
from engine.providers.credential import Credential
from engine.providers.model_entry import ModelEntry
from engine.providers.outside_json import UnreadableJsonError, checked_token, read_outside_json
from engine.providers.wire_codec import WireCodec

LIST_LIMIT = 2 * 1024 * 1024
"""Bytes of a list of models."""
DEADLINE_SECONDS = 30.0
"""For the whole list, however slowly it drips; less where the entry's own total is less."""
NO_SUCH_PLACE = frozenset({404, 405, 501})
"""Statuses of a server that has no list of models."""
_ONE_PAGE = {"anthropic_messages": "?limit=1000"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Listing:
    """The ids in a server's list that are plain tokens. `whole` is False where the list has more pages.

    `echoes_key` says that an id holds the key, in whatever spelling; such an id isn't among `ids`.
    """

    ids: tuple[str, ...]
    whole: bool
    echoes_key: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class NoListing:
    """A server that has no list of models."""

    status: int


async def discover(entry: ModelEntry, codec: WireCodec, key: str | None) -> Listing | NoListing | CallFailure:
    """The server's list, or what is wrong with it; asked for once. Nothing of the key is in what comes back."""
    credential = Credential(key, model_key=entry.key)
    url = f"{entry.base_url}/models{_ONE_PAGE.get(entry.wire_api, '')}"
    seconds = min(DEADLINE_SECONDS, entry.timeout_seconds.total)
    deadline = asyncio.timeout(seconds)
    try:
        async with (
            deadline,
            _session(entry, codec, credential) as session,
            session.get(url, allow_redirects=False) as response,
        ):
            return await _read(response, credential)
    except (aiohttp.ClientError, OSError) as error:
        failure = failure_of_transport(error)
    if deadline.expired():
        return CallFailure(code="read_timeout", message=f"no complete list of models within {seconds:g} s")
    return failure


def _session(entry: ModelEntry, codec: WireCodec, credential: Credential) -> aiohttp.ClientSession:
    """A session for one request, as careful as those that answers come through (`Connections`)."""
    headers = {
        "Accept": "application/json",
        "Accept-Encoding": "identity",
        "User-Agent": f"glassbench/{installed_version()}",
        **codec.headers(credential),
    }
    limits = entry.timeout_seconds
    timeout = aiohttp.ClientTimeout(total=None, connect=limits.connect, sock_read=limits.read)
    return open_session(entry.base_url or "", headers, timeout)


async def _read(response: aiohttp.ClientResponse, credential: Credential) -> Listing | NoListing | CallFailure:
    if response.status in NO_SUCH_PLACE:
        return NoListing(status=response.status)
    body = bytearray()
    while len(body) <= LIST_LIMIT and (chunk := await response.content.readany()):
        body += chunk
    if not 200 <= response.status <= 299:
        return failure_of_status(response.status, bytes(body[:LIST_LIMIT]), None, credential)
    if response.headers.get("content-encoding", "identity").strip().lower() != "identity":
        return _unusable("a compressed body, though identity was asked for")
    if len(body) > LIST_LIMIT:
        return _unusable(f"more than {LIST_LIMIT // 1024**2} MiB")
    return _listing(bytes(body), credential)


def _listing(body: bytes, credential: Credential) -> Listing | CallFailure:
    try:
        document = read_outside_json(body)
    except UnreadableJsonError as error:
        return _unusable(str(error))
    models = document.get("data") if isinstance(document, dict) else document
    if not isinstance(models, list):
        return _unusable("no list of models under `data`")
    found = [model["id"] for model in models if isinstance(model, dict) and isinstance(model.get("id"), str)]
    clean = [name for name in found if credential.remove_from(name) == name]
    return Listing(
        ids=tuple(name for name in clean if checked_token(name)),
        whole=not (isinstance(document, dict) and document.get("has_more") is True),
        echoes_key=len(clean) < len(found),
    )


def _unusable(what: str) -> CallFailure:
    return CallFailure(code="invalid_response", message=f"HTTP 200 to a list of models with {what}")
