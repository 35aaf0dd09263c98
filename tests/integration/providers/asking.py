"""Asks the chat provider over a real socket, with time and chance held still."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pytest

from engine.context.message import Message
from engine.providers.anthropic_messages import AnthropicMessagesCodec
from engine.providers.http_provider import HttpProvider
from engine.providers.interface import AttemptGate, ModelReply, ModelRequest, ProviderError, RequestOrigin
from engine.providers.model_entry import ModelEntry
from engine.providers.open_gate import OpenGate
from engine.providers.openai_chat import OpenAIChatCodec
from engine.providers.openai_responses import OpenAIResponsesCodec
from engine.providers.retry_policy import Clockwork
from engine.providers.wire_codec import WireCodec
from tests.integration.providers.faulty_server import (
    Answer,
    FaultyServer,
)

KEY = "k3y-" + "only/for+tests" * 2
SECOND = datetime(2026, 3, 1, 12, 0, 0, tzinfo=UTC)
ORIGIN = RequestOrigin(run_id="b-0001", case_id="quote-basic", locale="en", repeat=1, turn=0)


@dataclass(kw_only=True)
class Waits:
    """Records how long the provider would have waited; jitter stands at one half."""

    seconds: list[float] = field(default_factory=list)

    async def sleep(self, seconds: float) -> None:
        self.seconds.append(seconds)
        await asyncio.sleep(0)

    def clockwork(self) -> Clockwork:
        return Clockwork(clock=lambda: 0.0, now=lambda: SECOND, sleep=self.sleep, jitter=lambda: 0.5)


def entry(url: str, **settings: Any) -> ModelEntry:
    fields = {
        "key": "test-model",
        "display_name": "Test model",
        "family": "test",
        "provider": "test",
        "wire_api": "openai_chat",
        "model_id": "test-1",
        "base_url": url,
        "max_retries": 0,
        **settings,
    }
    return ModelEntry.model_validate(fields)


def request(*messages: Message, tools: tuple[Mapping[str, Any], ...] = ()) -> ModelRequest:
    given = messages or (Message(role="user", content="What is the price?"),)
    return ModelRequest(messages=given, tools=tools, max_output_tokens=256, input_tokens=12, origin=ORIGIN)


def provider_of(model: ModelEntry, key: str | None = KEY, clockwork: Clockwork | None = None) -> HttpProvider:
    """The provider of any wire API, as the factory builds it."""
    codecs: dict[str, Callable[[ModelEntry], WireCodec]] = {
        "openai_chat": OpenAIChatCodec,
        "openai_responses": OpenAIResponsesCodec,
        "anthropic_messages": AnthropicMessagesCodec,
    }
    return HttpProvider(model, codecs[model.wire_api](model), key, clockwork=clockwork)


def chat(model: ModelEntry, key: str | None = KEY, clockwork: Clockwork | None = None) -> HttpProvider:
    return HttpProvider(model, OpenAIChatCodec(model), key, clockwork=clockwork)


def completion(message: Any, finish: Any = "stop", **more: Any) -> dict[str, Any]:
    return {"id": "cmpl-1", "model": "test-1", "choices": [{"message": message, "finish_reason": finish}], **more}


def chunk(delta: Any, finish: Any = None, **more: Any) -> dict[str, Any]:
    return {
        "id": "cmpl-1",
        "model": "test-1",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
        **more,
    }


OK = completion({"role": "assistant", "content": "fine"})


def ask(
    *answers: Answer,
    waits: Waits | None = None,
    gate: AttemptGate | None = None,
    asked: ModelRequest | None = None,
    **settings: Any,
) -> tuple[ModelReply, FaultyServer]:
    """The reply to one call, and the server with what it saw."""

    async def call() -> tuple[ModelReply, FaultyServer]:
        async with FaultyServer(*answers) as server:
            clockwork = (waits or Waits()).clockwork()
            provider = provider_of(entry(server.url, **settings), clockwork=clockwork)
            try:
                return await provider.complete(asked or request(), gate or OpenGate()), server
            finally:
                await provider.close()

    return asyncio.run(call())


def fail(
    *answers: Answer, waits: Waits | None = None, asked: ModelRequest | None = None, **settings: Any
) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        ask(*answers, waits=waits, asked=asked, **settings)
    assert KEY not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
    return caught.value


def statuses(attempts: Any) -> list[tuple[int | None, str | None]]:
    return [(attempt.status, attempt.code) for attempt in attempts]


GOOD = json.dumps(OK).encode()


def call_of(arguments: Any) -> dict[str, Any]:
    return {"id": "c1", "type": "function", "function": {"name": "get_quote", "arguments": arguments}}
