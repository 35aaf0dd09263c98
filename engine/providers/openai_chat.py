"""Chat completions with native tool calls, from any server that speaks the OpenAI wire API."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import httpx

from dataset.artifacts.artifact import HttpAttempt
from dataset.version import installed_version
from engine.providers.call_failure import CallFailure, failure_of_status, failure_of_transport
from engine.providers.chat_request import chat_request_bytes
from engine.providers.connection_shards import ConnectionShards
from engine.providers.credential import Credential
from engine.providers.interface import AttemptGate, ModelReply, ModelRequest, ProviderError
from engine.providers.model_entry import ModelEntry
from engine.providers.reply_reader import ReplyReader
from engine.providers.retry_policy import Clockwork, RetryPolicy, retry_after_seconds

BODY_LIMIT = 4 * 1024 * 1024
ERROR_BODY_LIMIT = 64 * 1024


class OpenAIChatProvider:
    """Asks one model of one server. Safe for concurrent calls; made for up to `entry.concurrency` of them."""

    def __init__(self, entry: ModelEntry, api_key: str | None, *, clockwork: Clockwork | None = None) -> None:
        self._entry = entry
        self._credential = Credential(api_key, model_key=entry.key)
        self._reader = ReplyReader(self._credential)
        self._clockwork = clockwork or Clockwork()
        self._policy = RetryPolicy(max_retries=entry.max_retries)
        self._shards = ConnectionShards(entry.concurrency)
        self._timeouts = entry.timeout_seconds.model_dump(exclude={"total"})

    async def complete(self, request: ModelRequest, gate: AttemptGate) -> ModelReply:
        """The reply; its latency is that of the attempt that gave it, `attempts` holds the others.

        ProviderError carries every attempt and the time that the whole call took, waits included.
        """
        clock = self._clockwork.clock
        body = chat_request_bytes(self._entry, request)
        started = clock()
        deadline = started + self._entry.timeout_seconds.total
        attempts: list[HttpAttempt] = []
        while True:
            outcome, attempt = await self._attempt(body, deadline - clock())
            attempts.append(attempt)
            if isinstance(outcome, ModelReply):
                return replace(outcome, latency_ms=attempt.latency_ms, attempts=tuple(attempts))
            delay = self._delay(outcome, len(attempts))
            if delay is None or clock() + delay >= deadline:
                # No handler is active here, so the error carries no exception that holds the request.
                raise ProviderError(
                    outcome.code,
                    f"model {self._entry.key!r}: {outcome.message}",
                    attempts=tuple(attempts),
                    latency_ms=_milliseconds(clock() - started),
                )
            await self._clockwork.sleep(delay)

    async def close(self) -> None:
        """Ends every connection."""
        await self._shards.close()

    def _delay(self, failure: CallFailure, failures: int) -> float | None:
        if not failure.retryable:
            return None
        return self._policy.delay(failures, retry_after=failure.retry_after, jitter=self._clockwork.jitter())

    async def _attempt(self, body: bytes, seconds: float) -> tuple[ModelReply | CallFailure, HttpAttempt]:
        started = self._clockwork.clock()
        status, outcome = await self._exchange(body, seconds)
        attempt = HttpAttempt(
            status=status if status is not None and 100 <= status <= 599 else None,
            code=outcome.code if isinstance(outcome, CallFailure) else None,
            latency_ms=_milliseconds(self._clockwork.clock() - started),
        )
        return outcome, attempt

    async def _exchange(self, body: bytes, seconds: float) -> tuple[int | None, ModelReply | CallFailure]:
        status: int | None = None
        try:
            async with asyncio.timeout(seconds), self._shards.send(self._http_request(body)) as response:
                status = response.status_code
                return status, await self._outcome(response)
        except TimeoutError:
            total = self._entry.timeout_seconds.total
            return status, CallFailure(code="read_timeout", message=f"no complete answer within {total:g} s in all")
        except httpx.TransportError as error:
            return status, failure_of_transport(error)

    def _http_request(self, body: bytes) -> httpx.Request:
        headers = {
            "Accept": "application/json",
            "Accept-Encoding": "identity",
            "Content-Type": "application/json",
            "User-Agent": f"glassbench/{installed_version()}",
            **self._credential.headers(),
        }
        url = f"{self._entry.base_url}/chat/completions"
        return httpx.Request("POST", url, headers=headers, content=body, extensions={"timeout": self._timeouts})

    async def _outcome(self, response: httpx.Response) -> ModelReply | CallFailure:
        if not 200 <= response.status_code <= 299:
            body = await _error_body(response)
            retry_after = retry_after_seconds(response.headers.get("retry-after"), self._clockwork.now())
            return failure_of_status(response.status_code, body, retry_after, self._credential)
        if response.headers.get("content-encoding", "identity").lower() != "identity":
            return _unusable("a compressed body, though identity was asked for")
        body, complete = await _read_up_to(response, BODY_LIMIT)
        if not complete:
            return _unusable(f"a body of more than {BODY_LIMIT // 1024**2} MiB")
        if body.strip() and not _is_json(response.headers.get("content-type", "")):
            return _unusable("a body that isn't declared as JSON")
        return self._reader.read(body, request_id=response.headers.get("x-request-id"))


async def _read_up_to(response: httpx.Response, limit: int) -> tuple[bytes, bool]:
    """At most `limit` bytes of the body as sent, and whether that is all of it."""
    kept = bytearray()
    async for chunk in response.aiter_raw():
        kept += chunk
        if len(kept) > limit:
            return bytes(kept[:limit]), False
    return bytes(kept), True


async def _error_body(response: httpx.Response) -> bytes:
    """As much of an error's body as can be had: the status already says what it is."""
    try:
        return (await _read_up_to(response, ERROR_BODY_LIMIT))[0]
    except httpx.TransportError:
        return b""


def _is_json(content_type: str) -> bool:
    media_type = content_type.partition(";")[0].strip().lower()
    return media_type == "application/json" or (media_type.startswith("application/") and media_type.endswith("+json"))


def _unusable(what: str) -> CallFailure:
    return CallFailure(code="invalid_response", message=f"HTTP 200 with {what}")


def _milliseconds(seconds: float) -> int:
    return max(0, round(seconds * 1000))
