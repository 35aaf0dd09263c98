"""The provider of a model: where the wire API's name meets its implementation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import assert_never

from dataset.questions.transcript import Transcript
from engine.providers.anthropic_messages import AnthropicMessagesCodec
from engine.providers.credential import CredentialSource
from engine.providers.http_provider import HttpProvider
from engine.providers.interface import Provider
from engine.providers.model_entry import ModelEntry
from engine.providers.openai_chat import OpenAIChatCodec
from engine.providers.openai_responses import OpenAIResponsesCodec
from engine.providers.retry_policy import Clockwork
from engine.providers.scripted import ScriptedProvider
from engine.providers.wire_codec import WireCodec


def provider_for(
    entry: ModelEntry,
    transcripts: Mapping[tuple[str, str], Transcript],
    credentials: CredentialSource,
    counter: Callable[[str], int],
    clockwork: Clockwork | None = None,
) -> Provider:
    """The provider that asks this model, by this machine's clockwork where none is given; close it when done.

    `transcripts` by (style, case id) and the token counter serve scripted models only. Whatever the credentials'
    source raises where the key can't be had; UnsupportedParameterError.
    """
    if entry.wire_api == "scripted":
        return ScriptedProvider(entry.model_id, transcripts, counter)
    return HttpProvider(entry, codec_for(entry), credentials.resolve(entry), clockwork=clockwork)


def codec_for(entry: ModelEntry) -> WireCodec:
    """What a model's wire API has of its own; ValueError for a scripted model, which has no wire.

    UnsupportedParameterError where the entry sets what the API has no field for.
    """
    match entry.wire_api:
        case "openai_chat":
            return OpenAIChatCodec(entry)
        case "openai_responses":
            return OpenAIResponsesCodec(entry)
        case "anthropic_messages":
            return AnthropicMessagesCodec(entry)
        case "scripted":
            raise ValueError("a scripted model has no wire")
        case unknown:
            assert_never(unknown)
