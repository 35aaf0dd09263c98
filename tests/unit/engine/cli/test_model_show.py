"""`glassbench model list` and `model show`: what the registry says of a model, but never its key."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.cli.model_list import model_list
from engine.cli.model_show import model_show
from engine.providers.registry import UnknownModelError

SECRET = "value-of-" + "the-key-1234"
MODELS = """\
[[models]]
key = "hosted"
display_name = "Hosted"
family = "example"
provider = "example-cloud"
provider_key = "example"
tier = "flagship"
channel = "some-gateway"
wire_api = "anthropic_messages"
model_id = "example-large"
model_id_status = "verified"
base_url = "https://llm.example/v1"
credential_env = "EXAMPLE_API_KEY"
thinking = "enabled"
judge = true
price = "p"

[[models]]
key = "old"
display_name = "Old"
family = "example"
provider = "example-cloud"
wire_api = "openai_chat"
model_id = "example-small"
base_url = "https://llm.example/v1"
stored_credential = true
streaming = false
status = "archived"

[[prices]]
id = "p"
currency = "USD"
input_per_million = 2
cache_read_per_million = 0
output_per_million = 8
as_of = 2026-01-31
source = "https://llm.example/pricing"
tiers = [{ above_input_tokens = 200000, input_per_million = 4, output_per_million = 12 }]
hours = [{ from = "16:30", to = "00:30", input_per_million = 1, output_per_million = 4, tiers = [] }]
"""


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "models.toml").write_text(MODELS, encoding="utf-8")
    monkeypatch.setenv("GLASSBENCH_HOME", str(tmp_path))
    monkeypatch.setenv("EXAMPLE_API_KEY", SECRET)


def shown(capsys: pytest.CaptureFixture[str], key: str) -> str:
    model_show(key)
    printed = capsys.readouterr().out
    assert SECRET not in printed
    return printed


def test_everything_about_a_model_is_shown_but_its_key(capsys: pytest.CaptureFixture[str]) -> None:
    lines = {" ".join(line.split()) for line in shown(capsys, "hosted").splitlines()}
    assert lines >= {
        "model hosted: Hosted",
        "status active",
        "roles candidate, judge",
        "tier flagship",
        "provider example-cloud (key for judge exclusion: example)",
        "channel some-gateway",
        "model id example-large (verified)",
        "wire API anthropic_messages",
        "address https://llm.example/v1",
        "credential EXAMPLE_API_KEY (set)",
        "streaming yes",
        "thinking enabled",
        "parameters none sent",
        "time limits connect 10 s, read 60 s, write 30 s, pool 60 s, total 300 s",
        "price in USD per million tokens, as of 2026-01-31, from https://llm.example/pricing",
        "input 2 (cached 0), output 8",
        "with more than 200,000 input tokens: input 4, output 12",
        "from 16:30 until 00:30 UTC instead:",
        "input 1, output 4",
    }


def test_an_archived_model_is_shown_as_that(capsys: pytest.CaptureFixture[str]) -> None:
    lines = {" ".join(line.split()) for line in shown(capsys, "old").splitlines()}
    assert lines >= {
        "status archived",
        "tier not stated",
        "model id example-small (unverified)",
        "credential in the credential store",
        "streaming no",
        "price none: the cost of its runs is unknown, never 0",
    }


def test_a_scripted_model_has_nothing_of_a_server(capsys: pytest.CaptureFixture[str]) -> None:
    printed = shown(capsys, "scripted-careful")
    assert "synthetic" in printed
    assert "address" not in printed


def test_json_holds_the_whole_entry(capsys: pytest.CaptureFixture[str]) -> None:
    model_show("hosted", as_json=True)
    body = json.loads(capsys.readouterr().out)
    assert (body["key"], body["thinking"], body["price"]["hours"][0]["from"]) == ("hosted", "enabled", "16:30")


def test_a_key_that_no_model_has_is_refused() -> None:
    with pytest.raises(UnknownModelError):
        model_show("nobody")


def test_the_list_tells_tier_channel_verification_and_the_price_with_its_day(
    capsys: pytest.CaptureFixture[str],
) -> None:
    model_list()
    rows = {cells[0]: " ".join(cells) for line in capsys.readouterr().out.splitlines() if (cells := line.split())}
    for told in ("flagship", "some-gateway", "example-large (verified)", "2 / 8 and more USD, 2026-01-31"):
        assert told in rows["hosted"]
    assert "Old (archived)" in rows["old"]
    assert "example-small (unverified)" in rows["old"]


def test_the_list_in_json_holds_every_entry(capsys: pytest.CaptureFixture[str]) -> None:
    model_list(as_json=True)
    assert [body["key"] for body in json.loads(capsys.readouterr().out)][2:] == ["hosted", "old"]
