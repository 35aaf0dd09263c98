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
from engine.providers.scripted import ScriptedProvider


def provider_for(
    entry: ModelEntry,
    transcripts: Mapping[tuple[str, str], Transcript],
    credentials: CredentialSource,
    counter: Callable[[str], int],
) -> Provider:
    """The provider that asks this model; close it when done.

    `transcripts` by (style, case id) and the token counter serve scripted models only. CredentialMissingError where
    the variable that the entry names isn't set.
    """
    match entry.wire_api:
        case "scripted":
            return ScriptedProvider(entry.model_id, transcripts, counter)
        case "openai_chat":
            return HttpProvider(entry, OpenAIChatCodec(entry), credentials.resolve(entry))
        case "openai_responses":
            return HttpProvider(entry, OpenAIResponsesCodec(entry), credentials.resolve(entry))
        case "anthropic_messages":
            return HttpProvider(entry, AnthropicMessagesCodec(entry), credentials.resolve(entry))
        case unknown:
            assert_never(unknown)
