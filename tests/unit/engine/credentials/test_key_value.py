"""What may be stored as a key, and of which model."""

from __future__ import annotations

import pytest
from pydantic import SecretStr

from engine.credentials.errors import ModelRefusedError, ValueRefusedError
from engine.credentials.key_value import named_model, require_usable, stored_origin
from engine.providers.registry import ModelRegistry
from tests.factories.stored_keys import ORIGIN, keyed_entry, nobodys_key


@pytest.mark.parametrize("value", ["x" * 8, "~" * 8192, "!" + "y" * 30], ids=["shortest", "longest", "signs"])
def test_eight_to_8192_visible_characters_are_a_key(value: str) -> None:
    require_usable(SecretStr(value), keyed_entry())


@pytest.mark.parametrize(
    "value",
    [
        "",
        "x" * 7,
        "x" * 8193,
        " " + "x" * 20,
        "x" * 20 + " ",
        "two words here",
        "line\nbreak-in-it",
        "nul\0" * 4,
        "clé-étrangère",
    ],
)
def test_anything_else_is_refused_and_not_repeated(value: str) -> None:
    with pytest.raises(ValueRefusedError) as refused:
        require_usable(SecretStr(value), keyed_entry())
    assert refused.value.code == "CRED-VALUE-001"
    assert not value or value not in refused.value.message + refused.value.hint


@pytest.mark.parametrize("value", ["hosted-1", "Model-hosted", "llm.example", "https://llm.example/v1", "openai_chat"])
def test_what_stands_in_a_public_setting_is_refused(value: str) -> None:
    entry = keyed_entry().model_copy(update={"display_name": "My Model-hosted here"})
    with pytest.raises(ValueRefusedError) as refused:
        require_usable(SecretStr(value), entry)
    assert refused.value.code == "CRED-VALUE-002"
    assert value not in refused.value.message + refused.value.hint


def test_a_model_that_takes_no_stored_key_is_refused() -> None:
    with pytest.raises(ModelRefusedError, match="hosted") as refused:
        stored_origin(keyed_entry(stored=False))
    assert refused.value.code == "CRED-MODEL-002"
    assert stored_origin(keyed_entry()) == ORIGIN


def test_an_unknown_model_is_refused_without_repeating_a_key_in_its_place(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    registry = ModelRegistry.load(tmp_path_factory.mktemp("home"))
    value = nobodys_key()
    with pytest.raises(ModelRefusedError) as refused:
        named_model(registry, value)
    assert value not in refused.value.message + refused.value.hint
