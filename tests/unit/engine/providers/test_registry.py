"""The model registry: what is accepted, and how every fault is named."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from engine.providers.model_entry import ModelEntry, address_fault
from engine.providers.registry import (
    BUILT_IN_FILE,
    ArchivedModelError,
    ModelRegistry,
    ModelRoleError,
    RegistryError,
    UnknownModelError,
)

HOW_TO = Path(__file__).parents[4] / "docs" / "how-to" / "connect-a-model.md"
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


def test_the_examples_of_the_how_to_are_one_valid_file(tmp_path: Path) -> None:
    blocks = re.findall(r"^```toml\n(.*?)^```", HOW_TO.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    registry = load(tmp_path, "\n".join(blocks))
    assert [entry.key for entry in registry.entries[2:]] == ["local-small", "hosted-large"]
    assert [rate.pair for rate in registry.fx] == ["USD/CNY"]


def test_the_how_to_explains_every_setting_of_a_model() -> None:
    table = HOW_TO.read_text(encoding="utf-8").partition("## Every setting")[2].partition("\n##")[0]
    named = {name for row in re.findall(r"^\| (`.*?) \|", table, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)}
    assert named == set(ModelEntry.model_fields)


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
        ("max_retries = 5", "max_retries = -1", 12, "max_retries", "must be at least 0"),
        ("max_retries = 5", "max_retries = 11", 12, "max_retries", "must be at most 10"),
        ("max_retries = 5", 'max_retries = "5"', 12, "max_retries", "whole number, without quotes"),
        ("seed = 7", "seed = true", 10, "parameters.seed", "whole number"),
        ("seed = 7", "seed = 1.5", 10, "parameters.seed", "whole number"),
        ("temperature = 0.70", "temperature = 2.1", 10, "parameters.temperature", "between 0 and 2"),
        ("temperature = 0.70", "temperature = nan", 10, "parameters.temperature", "must be a number such as 0.7"),
        ("temperature = 0.70", "top_k = 3", 10, "parameters.top_k", "unknown setting"),
        ("read = 2.5", "read = 0", 11, "timeout_seconds.read", "must be more than 0"),
        ('currency = "USD"', 'currency = "usd"', 15, "price.currency", "three capital letters"),
        ("input_per_million = 0.15", "input_per_million = -1", 16, "price.input_per_million", "a number from 0 up"),
        ("input_per_million = 0.15", "input_per_million = -0.5", 16, "price.input_per_million", "a number from 0 up"),
        ("as_of = 2026-01-31", 'as_of = "2026-02-31"', 18, "price.as_of", "no day of the calendar"),
        ("as_of = 2026-01-31", 'as_of = "January"', 18, "price.as_of", "a day such as 2026-01-31"),
        ("as_of = 2026-01-31\n", "", 14, "price.as_of", "is missing"),
        ('source = "', 'sauce = "', 19, "price.sauce", "unknown setting"),
        ('wire_api = "openai_chat"', 'wire_api = "telepathy"', 6, "wire_api", "must be 'scripted', 'openai_chat',"),
        ('wire_api = "openai_chat"', 'wire_api = "replay"', 6, "wire_api", "must be 'scripted', 'openai_chat',"),
        ('wire_api = "openai_chat"', 'wire_api = "scripted"', 1, "", "never leaves the machine"),
        ('base_url = "https://llm.example/v1/"', "", 1, "", "base_url is missing"),
        ('base_url = "https://llm.example/v1/"', "stored_credential = true", 1, "", "base_url is missing"),
        ("max_retries = 5", "stored_credential = true", 1, "", "take one of them out"),
        ("max_retries = 5", "stored_credential = 1", 12, "stored_credential", "must be true or false, without quotes"),
        ("max_retries = 5", 'tier = "cheap"', 12, "tier", "must be 'flagship', 'balanced' or 'value'"),
        ("max_retries = 5", 'weights = "free"', 12, "weights", "must be 'open' or 'closed'"),
        ("max_retries = 5", 'channel = "A B"', 12, "channel", "lower-case letters, digits, dots and hyphens"),
        ("max_retries = 5", 'provider_key = ""', 12, "provider_key", "lower-case letters, digits, dots and hyphens"),
        ("max_retries = 5", 'thinking = "on"', 12, "thinking", "must be 'disabled', 'enabled' or 'provider_default'"),
        ("max_retries = 5", 'model_id_status = "ok"', 12, "model_id_status", "must be 'verified' or 'unverified'"),
        ("max_retries = 5", 'status = "old"', 12, "status", "must be 'active' or 'archived'"),
        ("max_retries = 5", 'streaming = "no"', 12, "streaming", "must be true or false"),
        ("max_retries = 5", 'judge = "yes"', 12, "judge", "must be true or false"),
        ("max_retries = 5", "candidate = false", 1, "", "neither candidate nor judge"),
        ("seed = 7 }", 'reasoning_effort = "Very high" }', 10, "parameters.reasoning_effort", "one lower-case word"),
        ('key = "hosted"', 'key = "Hosted One"', 2, "key", "lower-case letters, digits and hyphens"),
        ('model_id = "example-large"', 'model_id = "example large"', 7, "model_id", "visible ASCII characters"),
        ('display_name = "Hosted"', 'display_name = ""', 3, "display_name", "characters on one line"),
        ('display_name = "Hosted"', "display_name = 3", 3, "display_name", "must be text in quotes"),
        ("parameters = { temperature = 0.70, seed = 7 }", "parameters = 7", 10, "parameters", "must be a table"),
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
    assert "the same provider, model id, parameters and thinking mode as model 'hosted'" in message
    assert f"{tmp_path / 'models.toml'}:1" in message
    assert load(tmp_path, GOOD + twin.replace("seed = 7", "seed = 8")).entry("twin").key == "twin"


@pytest.mark.parametrize(("mode", "same"), [("provider_default", True), ("enabled", False), ("disabled", False)])
def test_a_thinking_mode_makes_another_model_unless_it_is_the_default(tmp_path: Path, mode: str, same: bool) -> None:
    twin = GOOD.replace('"hosted"', '"twin"').replace("max_retries = 5", f'thinking = "{mode}"')
    if same:
        assert len(faults(tmp_path, GOOD + twin)) == 1
    else:
        assert load(tmp_path, GOOD + twin).entry("twin").freeze().thinking == mode


@pytest.mark.parametrize("wire_api", ["openai_responses", "anthropic_messages"])
def test_every_wire_api_is_frozen_as_it_is(tmp_path: Path, wire_api: str) -> None:
    assert load(tmp_path, GOOD.replace("openai_chat", wire_api)).entry("hosted").freeze().wire_api == wire_api


def test_what_an_entry_leaves_out_has_the_safe_default_and_is_not_frozen(tmp_path: Path) -> None:
    entry = load(tmp_path, GOOD).entry("hosted")
    assert (entry.verified, entry.candidate, entry.judge, entry.streaming) == (False, True, False, True)
    assert not {"tier", "weights", "channel", "provider_key", "thinking"} & entry.freeze().model_dump().keys()


def test_what_an_entry_states_is_frozen_with_it(tmp_path: Path) -> None:
    stated = """\
tier = "value"
weights = "open"
channel = "some-gateway"
provider_key = "example"
thinking = "disabled"
model_id_status = "verified"
judge = true
streaming = false
"""
    entry = load(tmp_path, GOOD.replace("max_retries = 5\n", stated)).entry("hosted")
    frozen = entry.freeze()
    assert (frozen.tier, frozen.weights, frozen.channel, frozen.exclusion_key, frozen.thinking) == (
        "value",
        "open",
        "some-gateway",
        "example",
        "disabled",
    )
    assert (entry.verified, entry.judge, entry.streaming) == (True, True, False)


def test_the_built_in_models_keep_the_hash_that_batches_were_frozen_with(tmp_path: Path) -> None:
    careful = ModelRegistry.load(tmp_path).entry("scripted-careful")
    assert careful.freeze().digest() == "00002251c0c3b5de83b9d73d9cffd823b7807f06b05d3e53cfa1810e2942e012"
    assert careful.verified


def test_an_archived_model_is_found_but_never_asked(tmp_path: Path) -> None:
    registry = load(tmp_path, GOOD.replace("max_retries = 5", 'status = "archived"'))
    assert registry.find("hosted").status == "archived"
    with pytest.raises(ArchivedModelError, match="'hosted' is archived"):
        registry.entry("hosted")


def test_a_model_that_may_only_judge_is_no_candidate(tmp_path: Path) -> None:
    registry = load(tmp_path, GOOD.replace("max_retries = 5", "candidate = false\njudge = true"))
    assert registry.entry("hosted").judge
    with pytest.raises(ModelRoleError, match="'hosted' is no candidate"):
        registry.candidate("hosted")


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
