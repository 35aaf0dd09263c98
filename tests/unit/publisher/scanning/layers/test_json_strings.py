from __future__ import annotations

import json

from publisher.scanning.layers.interface import Document
from publisher.scanning.layers.json_strings import CREDENTIAL_NAME, JsonStrings


def places(text: str) -> dict[str, str]:
    found = JsonStrings().passages(Document.whole(text, "f"))
    return {passage.place(0, ()): passage.text for passage in found}


def test_strings_and_keys_are_decoded_with_their_pointer() -> None:
    assert places('{"a\\u0041": ["x\\ny", {"b": "\\u4e2d"}]}') == {
        "f#/aA (key)": "aA",
        "f#/aA/0": "x\ny",
        "f#/aA/1/b (key)": "b",
        "f#/aA/1/b": "中",
    }


def test_repeated_key_hides_nothing() -> None:
    found = JsonStrings().passages(Document.whole('{"a": "first", "a": "second"}', "f"))
    assert [passage.text for passage in found if not passage.is_key] == ["first", "second"]


def test_json_in_strings_is_decoded_to_depth_three_and_no_deeper() -> None:
    text: object = "core\nx"
    for _ in range(6):
        text = json.dumps({"in": text})
    found = places(str(text))
    assert "f#/in#/in#/in#/in" in found
    assert not any(place.count("#") > 4 for place in found)


def test_value_under_a_credential_name_is_seen_with_its_name() -> None:
    found = JsonStrings().passages(Document.whole('{"db": {"Password": "v"}, "cache_key": "w"}', "f"))
    assert [passage.text for passage in found if "=" in passage.text] == ['Password = "v"']


def test_names_of_digests_and_counts_are_no_credential_names() -> None:
    harmless = "key cache_key idempotency_key model_key page_token next_token tokens artifact_hash salts token_counter"
    assert not [name for name in harmless.split() if CREDENTIAL_NAME.search(name)]


def test_credential_names_of_any_spelling_are_recognised() -> None:
    names = (
        "password DB_PASSWORD dbPassword api_key apiKey API-KEY client_secret access_token Authorization cookie token"
    )
    assert [name for name in names.split() if not CREDENTIAL_NAME.search(name)] == []


def test_broken_deep_or_scalar_json_yields_no_passage_and_no_error() -> None:
    for text in ("", "{", "[" * 100_000, "17", "1" * 5000, "nul", '{"a": "\\ud8"}'):
        assert places(text) == {}


def test_huge_numbers_do_not_stop_the_reading() -> None:
    assert places('{"n": ' + "9" * 5000 + ', "s": "x"}')["f#/s"] == "x"
