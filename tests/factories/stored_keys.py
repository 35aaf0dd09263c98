"""Models that take a stored key, and keys that are nobody's."""

from __future__ import annotations

import secrets

from engine.providers.model_entry import ModelEntry

ORIGIN = "https://llm.example"


def nobodys_key() -> str:
    """A key that was never anybody's, different each time, of characters that every encoding keeps."""
    return "nobodys-" + secrets.token_hex(16)


def keyed_entry(key: str = "hosted", base_url: str = f"{ORIGIN}/v1", *, stored: bool = True) -> ModelEntry:
    """A model whose key is stored, or needs none."""
    return ModelEntry(
        key=key,
        display_name=f"Model {key}",
        family="example",
        provider="example",
        wire_api="openai_chat",
        model_id=f"{key}-1",
        base_url=base_url,
        stored_credential=stored,
    )


def keyed_entry_text(key: str = "hosted", base_url: str = f"{ORIGIN}/v1", *, stored: bool = True) -> str:
    """The same as `models.toml` has it."""
    return f"""
[[models]]
key = "{key}"
display_name = "Model {key}"
family = "example"
provider = "example"
wire_api = "openai_chat"
model_id = "{key}-1"
base_url = "{base_url}"
stored_credential = {str(stored).lower()}
"""
