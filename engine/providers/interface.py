"""One call to one model: the request, the reply, and the classified failure.

A provider takes a finished request (assembled by `engine.context`) and returns a reply or raises ProviderError.
It never judges, retries only what is safe to retry, and records each HTTP attempt. Each try passes an AttemptGate,
which the ledger stands behind: admitted before it, marked before its first byte leaves, settled after it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from dataset.artifacts.artifact import HttpAttempt, StopReason, Usage
from dataset.errors import GlassbenchError
from dataset.record import Locale
from engine.context.message import Message

ProviderErrorCode = Literal[
    "authentication_error",
    "rate_limited",
    "provider_4xx",
    "provider_5xx",
    "connect_timeout",
    "read_timeout",
    "network_error",
    "invalid_response",
    "invalid_stream",
    "stream_error",
    "incomplete_stream",
    "empty_response",
    "output_truncated",
    "context_overflow",
    "content_filtered",
    "script_missing",
    "replay_missing",
]


@dataclass(frozen=True, kw_only=True, slots=True)
class RequestOrigin:
    """Which run and step a request belongs to; offline providers follow it, remote ones never send it."""

    run_id: str
    case_id: str
    locale: Locale
    repeat: int
    turn: int
    """How many model replies the run already has."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelRequest:
    """Everything a model is given. `tools` are in the OpenAI function form."""

    messages: tuple[Message, ...]
    tools: tuple[Mapping[str, Any], ...]
    max_output_tokens: int | None
    """None: not sent, the server decides."""
    input_tokens: int
    """What the conservative counter says of messages and tools: never under a real tokenizer's count."""
    origin: RequestOrigin


@dataclass(frozen=True, kw_only=True, slots=True)
class ReplyCall:
    """A tool call as received: `arguments` is the raw string; a missing id is the empty string."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelReply:
    """What the model answered. `text` never holds reasoning; ids that fail their check are None."""

    text: str | None
    tool_calls: tuple[ReplyCall, ...]
    stop_reason: StopReason
    finish_reason: str | None
    usage: Usage
    model_returned: str | None
    request_id: str | None
    system_fingerprint: str | None
    latency_ms: int
    attempts: tuple[HttpAttempt, ...] = field(default=())


@dataclass(frozen=True, kw_only=True, slots=True)
class Reported:
    """What a server said about an answer besides the answer; what is missing or fails its check is None."""

    usage: Usage = field(default_factory=Usage)
    finish_reason: str | None = None
    model_returned: str | None = None
    request_id: str | None = None
    system_fingerprint: str | None = None


class ProviderError(GlassbenchError):
    """A call that gave no reply. Its message holds no key, no request and no more of the body than is safe.

    `reported` is what the last try's server said before it failed: its usage may have to be paid for all the same.
    """

    def __init__(
        self,
        code: ProviderErrorCode,
        message: str,
        *,
        attempts: tuple[HttpAttempt, ...] = (),
        latency_ms: int = 0,
        reported: Reported | None = None,
    ) -> None:
        super().__init__(message, code=code)
        self.error_code: ProviderErrorCode = code
        self.attempts = attempts
        self.latency_ms = latency_ms
        self.reported = reported or Reported()

    @property
    def usage(self) -> Usage:
        """The tokens that the server reported."""
        return self.reported.usage


@dataclass(frozen=True, kw_only=True, slots=True)
class TryOutcome:
    """How one try of a call ended. `usage` is what the server reported; None where it reported nothing."""

    usage: Usage | None = None
    code: ProviderErrorCode | None = None
    status: int | None = None


class AttemptGate(Protocol):
    """What stands between one call and the network. For each try, in this order: `admit`, `sending`, `settle`."""

    async def admit(self) -> None:
        """Returns when the next try is admitted, durably; it may wait for its turn, which counts as no one's time.

        GlassbenchError where it can never be admitted; nothing may be sent then.
        """
        ...

    async def sending(self) -> None:
        """Marks the try as sent, durably. Called when a connection is there, before the first byte of the request.

        GlassbenchError where that can't be recorded; nothing may be sent then.
        """
        ...

    def settle(self, outcome: TryOutcome | None) -> None:
        """Ends an admitted try. None: nobody knows how it ended. Without `sending` before it, nothing was sent."""
        ...


class AttemptGates(Protocol):
    """The gates of one run's calls."""

    def for_call(self, request: ModelRequest, *, step: int) -> AttemptGate:
        """The gate of the call that makes step `step` of the timeline."""
        ...


class AdmissionDeniedError(GlassbenchError):
    """A call that may never be made: its run is given up, with this error's code as the reason."""


class AdmissionStoppedError(GlassbenchError):
    """No call may be made for now, by a rule that is no run's fault: nothing is recorded and the batch pauses."""


class Provider(Protocol):
    """A model that can be asked. Implementations are safe for concurrent calls."""

    async def complete(self, request: ModelRequest, gate: AttemptGate) -> ModelReply:
        """The model's reply; ProviderError where there is none. What the gate raises passes through."""
        ...

    async def close(self) -> None:
        """Ends connections; the provider can't be asked afterwards."""
        ...
