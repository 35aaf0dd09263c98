"""A model behind HTTP, whatever its wire API: tries, waits, deadlines, and the gate that each try passes."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace

import aiohttp

from dataset.artifacts.artifact import HttpAttempt, Usage
from dataset.version import installed_version
from engine.providers.call_failure import CallFailure, UnusableReplyError
from engine.providers.concurrency_limit import ConcurrencyLimit
from engine.providers.connections import BeforeSending, Connections, NotSentError, failure_of_transport
from engine.providers.credential import Credential
from engine.providers.incoming_answer import IncomingAnswer
from engine.providers.interface import (
    AdmissionDeniedError,
    AttemptGate,
    ModelReply,
    ModelRequest,
    ProviderError,
    Reported,
    TryOutcome,
)
from engine.providers.model_entry import ModelEntry
from engine.providers.reply_reader import ReplyReader
from engine.providers.retry_policy import Clockwork, RetryPolicy
from engine.providers.wire_codec import WireCodec


@dataclass(frozen=True, kw_only=True, slots=True)
class _Tried:
    """One try: how it ended, its record, and the seconds of the call's deadline that it took."""

    outcome: ModelReply | CallFailure
    attempt: HttpAttempt
    seconds: float

    def told(self) -> TryOutcome:
        """What the gate hears."""
        outcome = self.outcome
        if isinstance(outcome, ModelReply):
            code, usage = None, outcome.usage
        else:
            code, usage = outcome.code, (outcome.reported or Reported()).usage
        return TryOutcome(usage=usage if usage != Usage() else None, code=code, status=self.attempt.status)


class HttpProvider:
    """Asks one model of one server. Safe for concurrent calls; made for up to `entry.concurrency` of them."""

    def __init__(
        self, entry: ModelEntry, codec: WireCodec, api_key: str | None, *, clockwork: Clockwork | None = None
    ) -> None:
        self._entry = entry
        self._codec = codec
        self._stream = entry.streaming
        self._credential = Credential(api_key, model_key=entry.key)
        self._reader = ReplyReader(codec, self._credential)
        self._clockwork = clockwork or Clockwork()
        self._policy = RetryPolicy(max_retries=entry.max_retries)
        self._limit = ConcurrencyLimit(entry.concurrency)
        self._connections = Connections(
            f"{entry.base_url}{codec.path}",
            {
                "Accept": "text/event-stream, application/json" if self._stream else "application/json",
                "Accept-Encoding": "identity",
                "Content-Type": "application/json",
                "User-Agent": f"glassbench/{installed_version()}",
                **codec.headers(self._credential),
            },
            timeouts=entry.timeout_seconds,
            size=entry.concurrency,
        )

    async def complete(self, request: ModelRequest, gate: AttemptGate) -> ModelReply:
        """The reply; its latency is that of the attempt that gave it, `attempts` holds the others.

        ProviderError carries every attempt and the time that the whole call took, its own waits included. Waiting for
        one's turn (for the gate's `admit`, or because the server has said 429 to others) counts as no one's time.
        """
        body = self._request_bytes(request)
        total = left = self._entry.timeout_seconds.total
        attempts: list[HttpAttempt] = []
        failed: CallFailure | None = None
        while True:
            tried = await self._admitted_again(body, gate, left, failed)
            if tried is None:
                assert failed is not None
                raise self._error(failed, tuple(attempts), total - left)
            left -= tried.seconds
            attempts.append(tried.attempt)
            if isinstance(tried.outcome, ModelReply):
                return replace(tried.outcome, latency_ms=tried.attempt.latency_ms, attempts=tuple(attempts))
            failed = tried.outcome
            delay = self._delay(failed, len(attempts))
            if delay is None or delay >= left:
                # No handler is active here, so the error carries no exception that holds the request.
                raise self._error(failed, tuple(attempts), total - left)
            left -= delay
            await self._clockwork.sleep(delay)

    async def close(self) -> None:
        """Ends every connection."""
        await self._connections.close()

    def _request_bytes(self, request: ModelRequest) -> bytes:
        try:
            return self._codec.request_bytes(request, stream=self._stream)
        except UnusableReplyError as error:
            failure = error.failure
        raise self._error(failure, (), 0.0)

    def _error(self, failure: CallFailure, attempts: tuple[HttpAttempt, ...], seconds: float) -> ProviderError:
        return ProviderError(
            failure.code,
            f"model {self._entry.key!r}: {failure.message}",
            attempts=attempts,
            latency_ms=_milliseconds(seconds),
            reported=failure.reported,
        )

    def _delay(self, failure: CallFailure, failures: int) -> float | None:
        if not failure.retryable:
            return None
        return self._policy.delay(failures, retry_after=failure.retry_after, jitter=self._clockwork.jitter())

    async def _admitted_again(
        self, body: bytes, gate: AttemptGate, seconds: float, failed: CallFailure | None
    ) -> _Tried | None:
        """One try; None where no further one is admitted after one that failed, which the run then ends with: what
        was tried before may have to be paid for, so it stays in the record."""
        try:
            return await self._admitted(body, gate, seconds)
        except AdmissionDeniedError:
            if failed is None:
                raise
            return None

    async def _admitted(self, body: bytes, gate: AttemptGate, seconds: float) -> _Tried:
        """One try, once it is its turn: admitted, sent, and settled whatever happens in between."""
        turn = await self._limit.take()
        told: TryOutcome | None = None
        try:
            await gate.admit()
            try:
                tried = await self._try(body, gate, seconds)
                told = tried.told()
            finally:
                gate.settle(told)
            return tried
        finally:
            status = told.status if told is not None else None
            self._limit.give_back(turn, refused=status == 429, answered=status is not None and status < 300)

    async def _try(self, body: bytes, gate: AttemptGate, seconds: float) -> _Tried:
        clock = self._clockwork.clock
        begun = sent = clock()

        async def before_sending() -> None:
            nonlocal sent
            await gate.sending()
            sent = clock()  # the model's time, not the ledger's

        answer = IncomingAnswer(
            codec=self._codec, reader=self._reader, credential=self._credential, now=self._clockwork.now
        )
        outcome = await self._exchange(body, before_sending, answer, seconds)
        ended = clock()
        attempt = HttpAttempt(
            status=answer.status if answer.status is not None and 100 <= answer.status <= 599 else None,
            code=outcome.code if isinstance(outcome, CallFailure) else None,
            latency_ms=_milliseconds(ended - sent),
        )
        return _Tried(outcome=outcome, attempt=attempt, seconds=ended - begun)

    async def _exchange(
        self, body: bytes, before_sending: BeforeSending, answer: IncomingAnswer, seconds: float
    ) -> ModelReply | CallFailure:
        deadline = asyncio.timeout(seconds)
        try:
            async with deadline, self._connections.post(body, before_sending) as response:
                return await answer.read(response)
        except NotSentError as error:
            failure: CallFailure | Exception = error.reason
        except (aiohttp.ClientError, OSError) as error:
            failure = failure_of_transport(error)
        if isinstance(failure, Exception):
            raise failure.with_traceback(None)  # the frames of its traceback hold the request
        if deadline.expired():
            total = self._entry.timeout_seconds.total
            failure = CallFailure(code="read_timeout", message=f"no complete answer within {total:g} s in all")
        return replace(failure, reported=answer.reported())


def _milliseconds(seconds: float) -> int:
    return max(0, round(seconds * 1000))
