"""The model registry: what is accepted, and how every fault is named."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from engine.providers.model_entry import address_fault
from engine.providers.registry import BUILT_IN_FILE, ModelRegistry, RegistryError, UnknownModelError

GOOD = """\
[[models]]
key = "hosted"
display_name = "Hosted"
family = "example2.5"
provider = "example-cloud"
wire_api = "openai_chat"
model_id = "example-large"
base_url = "https://llm.example/v1/"
credential_env = "EXAMPLE_API_KEY"
parameters = { temperature = 0.70, seed = 7 }
timeout_seconds = { read = 2.5 }
max_retries = 5

[models.price]
currency = "USD"
input_per_million = 0.15
output_per_million = "0.60"
as_of = 2026-01-31
source = "https://llm.example/pricing"
"""


def load(tmp_path: Path, text: str) -> ModelRegistry:
    (tmp_path / "models.toml").write_text(text, encoding="utf-8")
    return ModelRegistry.load(tmp_path)


def faults(tmp_path: Path, text: str) -> list[tuple[int | None, str, str]]:
    with pytest.raises(RegistryError) as caught:
        load(tmp_path, text)
    assert all(str(fault) in str(caught.value) for fault in caught.value.faults)
    return [(fault.line, fault.field, fault.message) for fault in caught.value.faults]


def test_built_in_models_are_the_two_scripted_ones_and_are_synthetic(tmp_path: Path) -> None:
    registry = ModelRegistry.load(tmp_path)
    assert [entry.key for entry in registry.entries] == ["scripted-careful", "scripted-careless"]
    frozen = [entry.freeze() for entry in registry.entries]
    assert {(model.family, model.provider, model.synthetic) for model in frozen} == {("scripted", "glassbench", True)}


def test_commented_examples_of_the_built_in_file_are_valid(tmp_path: Path) -> None:
    comments = BUILT_IN_FILE.read_text(encoding="utf-8")
    example = "\n".join(re.findall(r"^# (\[.*|[a-z_]+ = .*)$", comments, re.MULTILINE))
    assert [entry.key for entry in load(tmp_path, example).entries[2:]] == ["local-small", "hosted-large"]


def test_owners_model_is_read_with_exact_decimals_and_frozen_without_address_or_credential(tmp_path: Path) -> None:
    entry = load(tmp_path, GOOD).entry("hosted")
    assert entry.base_url == "https://llm.example/v1"
    assert (entry.timeout_seconds.read, entry.timeout_seconds.connect) == (2.5, 10)
    frozen = entry.freeze()
    assert frozen.parameters == {"temperature": "0.70", "seed": 7}
    assert frozen.synthetic is False
    assert frozen.price is not None
    assert (frozen.price.input_per_million, frozen.price.as_of) == ("0.15", "2026-01-31")
    assert "llm.example/v1" not in frozen.model_dump_json()
    assert "EXAMPLE_API_KEY" not in frozen.model_dump_json()


def test_credentials_are_known_by_name_and_value_only_where_set(tmp_path: Path) -> None:
    second = GOOD.replace('"hosted"', '"other"').replace("example-large", "x").replace("EXAMPLE_API_KEY", "OTHER_KEY")
    registry = load(tmp_path, GOOD + second)
    assert registry.credential_names() == ("EXAMPLE_API_KEY", "OTHER_KEY")
    environ = {"EXAMPLE_API_KEY": "v" * 9, "OTHER_KEY": "", "HOME": "/"}
    assert registry.credential_values(environ) == {"EXAMPLE_API_KEY": "v" * 9}


def test_unknown_key_lists_the_closest_first_and_names_the_file(tmp_path: Path) -> None:
    with pytest.raises(UnknownModelError) as caught:
        load(tmp_path, GOOD).entry("scripted-carefull")
    assert str(caught.value).endswith("known: scripted-careful, scripted-careless, hosted")
    assert str(tmp_path / "models.toml") in caught.value.hint


@pytest.mark.parametrize(
    ("old", "new", "line", "field", "message"),
    [
        ('model_id = "', 'modelid = "', 7, "modelid", "did you mean model_id"),
        ("max_retries = 5", "max_retries = -1", 12, "max_retries", "greater than or equal to 0"),
        ("max_retries = 5", 'max_retries = "5"', 12, "max_retries", "valid integer"),
        ("seed = 7", "seed = true", 10, "parameters.seed", "valid integer"),
        ("seed = 7", "seed = 1.5", 10, "parameters.seed", "valid integer"),
        ("temperature = 0.70", "temperature = 2.1", 10, "parameters.temperature", "between 0 and 2"),
        ("temperature = 0.70", "temperature = nan", 10, "parameters.temperature", "match pattern"),
        ("temperature = 0.70", "top_k = 3", 10, "parameters.top_k", "unknown setting"),
        ("read = 2.5", "read = 0", 11, "timeout_seconds.read", "greater than 0"),
        ('currency = "USD"', 'currency = "usd"', 15, "price.currency", "match pattern"),
        ("input_per_million = 0.15", "input_per_million = -1", 14, "price", "negative"),
        ("input_per_million = 0.15", "input_per_million = -0.5", 14, "price", "negative"),
        ("as_of = 2026-01-31", 'as_of = "2026-02-31"', 14, "price", "no day of the calendar"),
        ('source = "', 'sauce = "', 19, "price.sauce", "unknown setting"),
        ('wire_api = "openai_chat"', 'wire_api = "telepathy"', 6, "wire_api", "'scripted' or 'openai_chat'"),
        ('wire_api = "openai_chat"', 'wire_api = "scripted"', 1, "", "never leaves the machine"),
        ('base_url = "https://llm.example/v1/"', "", 1, "", "base_url is missing"),
        ("https://llm.example", "http://llm.example", 8, "base_url", "plain HTTP is allowed only to this machine"),
    ],
)
def test_fault_is_named_with_its_line_and_field(
    tmp_path: Path, old: str, new: str, line: int, field: str, message: str
) -> None:
    assert old in GOOD
    found = faults(tmp_path, GOOD.replace(old, new, 1))
    assert any(at == line and name.endswith(field) and message in told for at, name, told in found), found


def test_every_fault_of_a_file_is_reported_at_once(tmp_path: Path) -> None:
    found = faults(tmp_path, "title = 1\n" + GOOD.replace("max_retries = 5", "a = 1\nb = 2") + GOOD)
    assert len(found) == 3


def test_same_key_twice_is_refused_with_both_places(tmp_path: Path) -> None:
    [(line, field, message)] = faults(tmp_path, GOOD + GOOD.replace("example-large", "another"))
    assert (line, field) == (21, "model 'hosted', key")
    assert message == f"already taken at {tmp_path / 'models.toml'}:1"


def test_key_of_a_built_in_model_is_taken(tmp_path: Path) -> None:
    [(_, _, message)] = faults(tmp_path, GOOD.replace('"hosted"', '"scripted-careful"'))
    assert str(BUILT_IN_FILE) in message


def test_two_entries_that_mean_the_same_are_refused_however_the_number_is_written(tmp_path: Path) -> None:
    twin = GOOD.replace('"hosted"', '"twin"').replace("0.70", '"0.7"')
    [(_, field, message)] = faults(tmp_path, GOOD + twin)
    assert field == "model 'twin'"
    assert "the same provider, model id and parameters as model 'hosted'" in message
    assert load(tmp_path, GOOD + twin.replace("seed = 7", "seed = 8")).entry("twin").key == "twin"


def test_key_literal_in_the_file_is_refused_and_never_repeated(tmp_path: Path) -> None:
    literal = "sk-" + "abcdef123456"
    for text in (
        GOOD.replace("EXAMPLE_API_KEY", literal),
        GOOD.replace("max_retries", f'api_key = "{literal}"\nmax_retries'),
        GOOD.replace("https://llm.example", f"https://{literal}@llm.example"),
        GOOD.replace("llm.example/v1/", f"llm.example/v1?key={literal}"),
    ):
        found = faults(tmp_path, text)
        assert literal not in repr(found)
        assert "credential_env" in repr(found)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("[[models]\n", 1, "not valid TOML"),
        ('[[models]]\nkey = "a"\nkey = "b"\n', 3, "not valid TOML"),
        ("models = 3\n", None, "must be tables"),
        ("models = [3]\n", None, "must be tables"),
        ("[model]\n", None, "unknown table"),
    ],
)
def test_file_of_another_shape_is_refused(tmp_path: Path, text: str, line: int | None, message: str) -> None:
    [(at, _, told)] = faults(tmp_path, text)
    assert at == line
    assert message in told


def test_file_that_is_not_utf_8_is_refused(tmp_path: Path) -> None:
    (tmp_path / "models.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(RegistryError, match="is not UTF-8"):
        ModelRegistry.load(tmp_path)


def test_a_directory_or_a_pipe_in_place_of_the_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "models.toml").mkdir()
    with pytest.raises(RegistryError, match="not a file"):
        ModelRegistry.load(tmp_path)
    (tmp_path / "models.toml").rmdir()
    os.mkfifo(tmp_path / "models.toml")
    with pytest.raises(RegistryError, match="not a file"):
        ModelRegistry.load(tmp_path)


@pytest.mark.parametrize(
    "url",
    [
        "https://llm.example",
        "https://llm.example:8443/v1",
        "https://[2001:db8::1]/v1",
        "http://127.0.0.1:8080/v1",
        "http://127.9.9.9/v1",
        "http://localhost:1/v1",
        "http://LOCALHOST/v1",
        "http://[::1]:8080/v1",
    ],
)
def test_address_is_accepted(url: str) -> None:
    assert address_fault(url) is None


@pytest.mark.parametrize(
    "url",
    [
        "",
        "llm.example/v1",
        "ftp://llm.example",
        "file:///etc/passwd",
        "https://",
        "https:///v1",
        "http://llm.example/v1",
        "http://10.0.0.1/v1",
        "http://0.0.0.0/v1",
        "http://128.0.0.1/v1",
        "http://127.0.0.1.llm.example/v1",
        "http://localhost.llm.example/v1",
        "http://2130706433/v1",
        "http://127.1/v1",
        "http://[::ffff:10.0.0.1]/v1",
        "http://user@127.0.0.1/v1",
        "https://user:" + "word" + "@llm.example/v1",
        "https://llm.example/v1?a=b",
        "https://llm.example/v1?",
        "https://llm.example/v1#a",
        "https://llm.example:99999/v1",
        "https://llm.example:0/v1",
        "https://llm.example:x/v1",
        "https://[::1/v1",
        "http://127.0.0.1\\@llm.example/v1",
        "https://llm.exa mple/v1",
        "https://模型.example/v1",
        "https://llm.example/a b",
    ],
)
def test_address_is_refused(url: str) -> None:
    fault = address_fault(url)
    assert fault
    assert "llm.example/" not in fault
