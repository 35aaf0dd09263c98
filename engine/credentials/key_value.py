"""What may be stored as a model's key."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import SecretStr

from dataset.canonical import Json
from engine.credentials.envelope import origin_of
from engine.credentials.errors import ModelRefusedError, ValueRefusedError
from engine.providers.credential import USABLE_KEY, is_usable, takes_stored_key
from engine.providers.model_entry import ModelEntry
from engine.providers.registry import ModelRegistry


def named_model(registry: ModelRegistry, name: str) -> ModelEntry:
    """The model of this key; ModelRefusedError, which doesn't repeat the name: it may be a key in the wrong place."""
    for entry in registry.entries:
        if entry.key == name:
            return entry
    raise ModelRefusedError(
        "the registry has no model of the key given", code="CRED-MODEL-001", hint="see `glassbench model list`"
    )


def stored_origin(entry: ModelEntry) -> str:
    """The origin that a model's stored key is bound to; ModelRefusedError where it takes none."""
    if not takes_stored_key(entry) or entry.base_url is None:
        raise ModelRefusedError(
            f"model {entry.key!r} takes no stored key",
            code="CRED-MODEL-002",
            hint="write stored_credential = true in its entry in models.toml, in place of credential_env",
        )
    return origin_of(entry.base_url)


def require_usable(value: SecretStr, entry: ModelEntry) -> None:
    """ValueRefusedError where a text can't be this model's key, or would be published with it."""
    if not is_usable(value.get_secret_value()):
        raise ValueRefusedError(
            f"the key of model {entry.key!r} isn't {USABLE_KEY}",
            hint="look for a line break, a blank or a cut-off value",
            code="CRED-VALUE-001",
            reason="value_unusable",
        )
    if any(value.get_secret_value() in text for text in _texts(entry.body())):
        raise ValueRefusedError(
            f"the key of model {entry.key!r} stands in a public setting of its entry",
            hint="take it out of models.toml, revoke it, and store a new one",
            code="CRED-VALUE-002",
            reason="value_public",
        )


def _texts(value: Json) -> Iterator[str]:
    if isinstance(value, dict):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)
    elif isinstance(value, str):
        yield value
