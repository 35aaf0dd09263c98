"""One HTTP answer as it comes in: what it may weigh, whether it is a stream, what it said before it broke off."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

import aiohttp

from engine.providers.call_failure import CallFailure, ErrorObjectError, UnusableReplyError, failure_of_status
from engine.providers.credential import Credential
from engine.providers.event_stream import EVENT_LIMIT, EventStreamParser, EventTooLargeError
from engine.providers.interface import ModelReply, Reported
from engine.providers.reply_reader import ReplyReader
from engine.providers.retry_policy import retry_after_seconds
from engine.providers.wire_codec import StreamFold, WireCodec

_MIB = 1024 * 1024
WIRE_LIMIT = 64 * _MIB
"""Bytes of one streamed answer as sent."""
BODY_LIMIT = 4 * _MIB
"""Bytes of a body that is no stream."""
ERROR_BODY_LIMIT = 64 * 1024
"""Bytes that are read of an answer that isn't 2xx."""
_ERROR_SECONDS = 5.0
_END_SECONDS = 0.25


class IncomingAnswer:
    """Reads one response. After an exception `status` and `reported` still say what had come."""

    def __init__(
        self, *, codec: WireCodec, reader: ReplyReader, credential: Credential, now: Callable[[], datetime]
    ) -> None:
        self.status: int | None = None
        self._codec = codec
        self._reader = reader
        self._credential = credential
        self._now = now
        self._fold: StreamFold | None = None
        self._request_id: str | None = None

    async def read(self, response: aiohttp.ClientResponse) -> ModelReply | CallFailure:
        """The reply, or what is wrong with the answer. Raises what the connection raises."""
        self.status = response.status
        headers = response.headers
        self._request_id = headers.get("x-request-id") or headers.get("request-id")
        if not 200 <= response.status <= 299:
            return await self._refusal(response)
        if headers.get("content-encoding", "identity").strip().lower() != "identity":
            return _unusable("a compressed body, though identity was asked for")
        media_type = headers.get("content-type", "").partition(";")[0].strip().lower()
        if media_type == "text/event-stream":
            return await self._streamed(response.content)
        body, complete = await _read_up_to(response.content, BODY_LIMIT)
        if not complete:
            return _unusable(f"a body of more than {BODY_LIMIT // _MIB} MiB")
        if body.strip() and not _is_json(media_type):
            return _unusable("a body that isn't declared as JSON")
        return self._reader.read_body(body, request_id=self._request_id)

    def reported(self) -> Reported | None:
        """What a stream that broke off had said besides the answer; None where no stream had begun."""
        if self._fold is None:
            return None
        return self._reader.reported(self._fold.document(), request_id=self._request_id)

    async def _refusal(self, response: aiohttp.ClientResponse) -> CallFailure:
        body = await _error_body(response.content)
        retry_after = retry_after_seconds(response.headers.get("retry-after"), self._now())
        return failure_of_status(response.status, body, retry_after, self._credential)

    async def _streamed(self, content: aiohttp.StreamReader) -> ModelReply | CallFailure:
        self._fold = fold = self._codec.fold()
        try:
            await _fold_events(content, fold)
        except (UnusableReplyError, ErrorObjectError) as error:
            return replace(self._reader.failure_of(error, streamed=True), reported=self.reported())
        await _end(content)
        return self._reader.read_document(fold.document(), request_id=self._request_id, streamed=True)


async def _fold_events(content: aiohttp.StreamReader, fold: StreamFold) -> None:
    """Feeds the fold until it is finished. Where the stream ends before, that is `incomplete_stream`."""
    parser = EventStreamParser()
    wire = 0
    while chunk := await content.readany():
        wire += len(chunk)
        if wire > WIRE_LIMIT:
            raise UnusableReplyError("invalid_stream", f"more than {WIRE_LIMIT // _MIB} MiB")
        try:
            events = parser.feed(chunk)
        except EventTooLargeError:
            raise UnusableReplyError("invalid_stream", f"an event of more than {EVENT_LIMIT // _MIB} MiB") from None
        for event in events:
            fold.add(event)
            if fold.finished:
                return
    raise UnusableReplyError("incomplete_stream", "no final event", retryable=True)


async def _end(content: aiohttp.StreamReader) -> None:
    """Waits a moment for the end of the body, so that the connection can be used again. The answer is complete."""
    if content.at_eof():
        return
    try:
        async with asyncio.timeout(_END_SECONDS):
            await _read_up_to(content, ERROR_BODY_LIMIT)
    except (aiohttp.ClientError, OSError):
        pass


async def _error_body(content: aiohttp.StreamReader) -> bytes:
    """What comes of an error's body within a short time: the status already says what it is."""
    kept = bytearray()
    try:
        async with asyncio.timeout(_ERROR_SECONDS):
            while len(kept) < ERROR_BODY_LIMIT and (chunk := await content.readany()):
                kept += chunk
    except (aiohttp.ClientError, OSError):
        pass
    return bytes(kept[:ERROR_BODY_LIMIT])


async def _read_up_to(content: aiohttp.StreamReader, limit: int) -> tuple[bytes, bool]:
    """At most `limit` bytes of the body as sent, and whether that is all of it."""
    kept = await content.readany()
    if content.at_eof() and len(kept) <= limit:
        return kept, True
    pieces, size = [kept], len(kept)
    while size <= limit and (chunk := await content.readany()):
        pieces.append(chunk)
        size += len(chunk)
    return b"".join(pieces)[:limit], size <= limit


def _is_json(media_type: str) -> bool:
    return media_type == "application/json" or (media_type.startswith("application/") and media_type.endswith("+json"))


def _unusable(what: str) -> CallFailure:
    return CallFailure(code="invalid_response", message=f"HTTP 200 with {what}")
