"""What each layer reads, and that what it reads leads back to where it stood."""

from __future__ import annotations

import json
import random
from base64 import b64encode, encodebytes, urlsafe_b64encode
from collections.abc import Callable
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from publisher.scanning.layers.adjacent_strings import AdjacentStrings
from publisher.scanning.layers.base64_text import Base64Text
from publisher.scanning.layers.escapes import Escapes
from publisher.scanning.layers.hex_text import HexText
from publisher.scanning.layers.interface import Layer
from publisher.scanning.layers.json_strings import JsonStrings
from publisher.scanning.layers.readable import Readable
from publisher.scanning.layers.wide_characters import WideCharacters

PHRASE = b"the phrase that is hidden 42"


def read(layer: Layer, data: bytes) -> list[bytes]:
    """The readings, checked: a mark occurs wherever there is one, and offsets lead back into the text."""
    readings = list(layer.readings(data))
    assert not readings or any(mark.search(data) for mark in layer.marks)
    for reading in readings:
        for at in range(0, len(reading.data), 7):
            assert 0 <= reading.origin(at) < max(1, len(data))
    return [reading.data for reading in readings]


def percent(data: bytes) -> bytes:
    return "".join(f"%{byte:02x}" for byte in data).encode()


def entities(data: bytes) -> bytes:
    return "".join(f"&#x{byte:x};" for byte in data).encode()


def zero_width(data: bytes) -> bytes:
    return "\u200b".join(data.decode()).encode()


def full_width(data: bytes) -> bytes:
    return "".join(chr(char + 0xFEE0) if 0x21 <= char < 0x7F else chr(char) for char in data).encode()


DISGUISES: list[tuple[Layer, Callable[[bytes], bytes]]] = [
    (Readable(), percent),
    (Readable(), entities),
    (Readable(), zero_width),
    (Readable(), full_width),
    (Base64Text(), b64encode),
    (Base64Text(), urlsafe_b64encode),
    (Base64Text(), lambda data: encodebytes(data * 5)),
    (HexText(), lambda data: data.hex().encode()),
    (HexText(), lambda data: data.hex().upper().encode()),
    (Escapes(), lambda data: "".join(f"\\x{byte:02x}" for byte in data).encode()),
    (WideCharacters(), lambda data: data.decode().encode("utf-16-le")),
    (WideCharacters(), lambda data: data.decode().encode("utf-16-be")),
    (WideCharacters(), lambda data: data.decode().encode("utf-32-le")),
]


@pytest.mark.parametrize("around", [b"%b", b"x = '%b';", b"see %b, and more of it"])
@pytest.mark.parametrize(("layer", "disguise"), DISGUISES)
def test_disguised_phrase_is_read(layer: Layer, disguise: Callable[[bytes], bytes], around: bytes) -> None:
    if isinstance(layer, WideCharacters) and around != b"%b":
        around = b"%b"
    assert any(PHRASE in reading for reading in read(layer, around % disguise(PHRASE)))


@given(st.integers(0, 5), st.integers(0, 5), st.binary(max_size=6), st.binary(max_size=6))
def test_base64_is_read_at_any_alignment(head: int, tail: int, before: bytes, after: bytes) -> None:
    run = b"A" * head + b64encode(before + PHRASE + after).rstrip(b"=") + b"z" * tail
    assert any(PHRASE in reading for reading in read(Base64Text(), run))


def test_digests_and_words_are_no_base64_and_no_hex() -> None:
    rng = random.Random(3)
    digests = b" ".join(b"%064x" % rng.getrandbits(256) for _ in range(200))
    words = b"guardrail_checks visible_tools internationalisation/of/everything long-session-with-many-words"
    assert read(Base64Text(), digests + words) == []
    assert len(read(HexText(), digests)) <= 3


def test_reading_of_a_mark_leads_back_to_its_place() -> None:
    data = b"a" * 3000 + b" " + percent(b"secret") + b" " + b"b" * 3000
    (reading,) = Readable().readings(data)
    assert reading.origin(reading.data.index(b"secret")) == data.index(b"%73")


def test_escaped_strings_of_json_stand_alone_and_lead_back() -> None:
    data = json.dumps({"a": "plain", "b": 'x\n"quoted"', "c": ["\\", "中\ty"]}, ensure_ascii=False).encode()
    (reading,) = JsonStrings().readings(data)
    assert reading.data == 'x\n"quoted"\n\1\n\\\n\1\n中\ty'.encode()
    assert data[reading.origin(reading.data.index(b"quoted")) :].startswith(b"quoted")
    assert data[reading.origin(reading.data.index("中".encode())) :].startswith("中".encode())


def test_json_without_escapes_has_no_second_reading() -> None:
    assert read(JsonStrings(), b'{"a":"plain"}') == []


@pytest.mark.parametrize("text", [b'{"a": "\\u0041', b'{"a":1}\n{"b":"\\u0041"}\n', b"[section]\nx = \\x41"])
def test_broken_json_and_json_lines_are_read(text: bytes) -> None:
    assert any(b"A" in reading for reading in read(JsonStrings(), text))


@pytest.mark.parametrize(
    "text",
    [
        '["abcd1234EFgh","5678IJkl"]',
        '"abcd1234EFgh" + "5678IJkl";',
        "'abcd1234EFgh'\n  '5678IJkl')",
        '{"key1":"abcd1234EFgh","key2":"5678IJkl"}',
        '{"a":"abcd1234EFgh", "b":"5678IJkl"}',
        '{"first_half":"abcd1234EFgh","second_half":"5678IJkl"}',
        '[{"text":"abcd1234EFgh"},{"text":"5678IJkl"}]',
    ],
)
def test_key_cut_into_neighbouring_strings_is_joined(text: str) -> None:
    assert any(b"abcd1234EFgh5678IJkl" in reading for reading in read(AdjacentStrings(), text.encode()))


def test_key_cut_in_three_is_joined() -> None:
    (joined,) = read(AdjacentStrings(), b'["abcd1234", "EFgh5678", "1IJkl567"]')
    assert joined == b"abcd1234EFgh56781IJkl567"


@pytest.mark.parametrize(
    "text",
    [
        '{"content_hash":"0123456789abcdef","gold_hash":"0123456789abcdef"}',
        '["answer.number.sale","context.key-fact"]',
        '{"role":"user","sha256":"0123456789abcdef"}',
        '["so","B12345"]',
    ],
)
def test_members_of_their_own_and_lists_of_words_are_not_joined(text: str) -> None:
    assert read(AdjacentStrings(), text.encode()) == []


def test_quoting_may_stay_partly_undone() -> None:
    assert read(Readable(), quote("50% off & more").encode()) == [b"50% off & more"]
    assert read(Readable(), b"50% off & more &nosuch; &#99999999;")[0].startswith(b"50% off & more &nosuch;")
