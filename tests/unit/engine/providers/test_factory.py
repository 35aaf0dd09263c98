"""Which provider a model gets, and what is said of its key."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import pytest

from engine.providers.credential import CredentialMissingError, CredentialUnusableError, EnvironmentCredentials
from engine.providers.factory import provider_for
from engine.providers.http_provider import HttpProvider
from engine.providers.interface import Provider
from engine.providers.model_entry import ModelEntry
from engine.providers.scripted import ScriptedProvider

SCRIPTED = ModelEntry(
    key="scripted-careful",
    display_name="Scripted",
    family="scripted",
    provider="glassbench",
    wire_api="scripted",
    model_id="careful",
)
REMOTE = SCRIPTED.model_copy(
    update={"key": "remote", "wire_api": "openai_chat", "base_url": "https://llm.example", "credential_env": "THE_KEY"}
)


def build(entry: ModelEntry, environ: Mapping[str, str]) -> Provider:
    provider = provider_for(entry, {}, EnvironmentCredentials(environ), len)
    asyncio.run(provider.close())
    return provider


def test_scripted_model_needs_no_key() -> None:
    assert isinstance(build(SCRIPTED, {}), ScriptedProvider)


@pytest.mark.parametrize("wire_api", ["openai_chat", "openai_responses", "anthropic_messages"])
def test_remote_model_takes_its_key_from_the_variable_it_names(wire_api: str) -> None:
    entry = REMOTE.model_copy(update={"wire_api": wire_api})
    assert isinstance(build(entry, {"THE_KEY": "v" * 8}), HttpProvider)
    with pytest.raises(CredentialMissingError):
        build(entry, {})


def test_chat_model_without_a_variable_needs_no_key() -> None:
    assert isinstance(build(REMOTE.model_copy(update={"credential_env": None}), {}), HttpProvider)


@pytest.mark.parametrize("environ", [{}, {"THE_KEY": ""}, {"OTHER": "v" * 8}])
def test_missing_variable_is_named_with_the_model(environ: Mapping[str, str]) -> None:
    with pytest.raises(CredentialMissingError) as caught:
        build(REMOTE, environ)
    assert "THE_KEY" in str(caught.value)
    assert "'remote'" in str(caught.value)


@pytest.mark.parametrize("value", ["short", "with blank", "line-break\n", "schlüssel1", "v" * 8193])
def test_key_that_no_header_can_hold_is_refused_and_not_repeated(value: str) -> None:
    with pytest.raises(CredentialUnusableError) as caught:
        build(REMOTE, {"THE_KEY": value})
    assert value.strip() not in str(caught.value)
    assert "'remote'" in str(caught.value)
