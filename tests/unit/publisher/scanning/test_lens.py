"""What any order of disguises hides is found, and what would never end is bounded."""

from __future__ import annotations

import json
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable
from itertools import product
from urllib.parse import quote

import pytest

from publisher.scanning import lens
from publisher.scanning.lens import LARGEST_GROWTH, LIMIT_RULE
from publisher.scanning.scanner import Scanner

DISGUISES: dict[str, Callable[[str], str]] = {
    "percent": lambda text: quote(text, safe=""),
    "entity": lambda text: "".join(f"&#{ord(char)};" for char in text),
    "base64": lambda text: b64encode(text.encode()).decode(),
    "base64url": lambda text: urlsafe_b64encode(text.encode()).decode().rstrip("="),
    "hex": lambda text: text.encode().hex(),
    "zero width": "\u200b".join,
    "full width": lambda text: "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text),
    "escapes": lambda text: "".join(f"\\u{ord(char):04x}" for char in text),
}
PAT = "SCAN-CRED:github-pat"


def rules(scanner: Scanner, text: str) -> set[str]:
    return {finding.rule for finding in scanner.scan_bytes(text.encode(), "x")}


@pytest.mark.parametrize(("outer", "middle", "inner"), list(product(DISGUISES, repeat=3))[::5])
def test_three_disguises_in_any_order_inside_json_hide_nothing(
    scanner: Scanner, github_token: str, outer: str, middle: str, inner: str
) -> None:
    hidden = DISGUISES[outer](DISGUISES[middle](DISGUISES[inner](f"see {github_token} there")))
    assert PAT in rules(scanner, json.dumps({"a": f"x\n{hidden}"}))


def test_key_cut_in_two_strings_and_encoded_is_found(scanner: Scanner, github_token: str) -> None:
    assert PAT in rules(scanner, json.dumps([github_token[:17], github_token[17:]]))
    coded = b64encode(f"see {github_token} there".encode()).decode()
    assert PAT in rules(scanner, json.dumps({"part1": coded[:30], "part2": coded[30:]}))


def test_file_that_decodes_to_more_than_can_be_looked_at_is_a_finding(
    scanner: Scanner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lens, "SMALLEST_LIMIT", 0)
    monkeypatch.setattr(lens, "LARGEST_GROWTH", 1)
    text = "the same words over and over "
    for _ in range(3):
        text = DISGUISES["base64"](text * 3) + DISGUISES["percent"](text)
    assert rules(scanner, text) == {LIMIT_RULE}


HOSTILE = {
    "one long word": b"A" * 4_000_000,
    "one long line of digits": b"0123456789" * 400_000,
    "quotation marks": b'"' * 1_000_000,
    "backslashes": b"\\" * 2_000_000,
    "half escapes": b"\\u00" * 500_000,
    "base64 of base64": b64encode(b64encode(b64encode(b64encode(b"secret words " * 40_000)))),
    "base64 text without end": b64encode(b"words " * 400_000),
    "seams": b'"abcd","A234' * 150_000,
    "seams without names": b'abcd" : "' * 200_000,
    "percent signs": b"%25" * 500_000,
    "ampersands": b"&amp;amp;" * 200_000,
    "zero width": "a\u200b".encode() * 400_000,
    "wide expansions": "\ufdfa".encode() * 300_000,
    "names without values": b"password: " * 200_000,
    "urls": b"http://" * 300_000,
    "at signs": b"http://a" + b"a:" * 500_000,
    "labels": b"a." * 1_000_000 + b"internal",
    "addresses": b"10.10.10." * 200_000,
    "colons": b"fd00:" * 300_000,
    "begin private key": b"-----BEGIN PRIVATE KEY-----" * 40_000,
    "jwt heads": b"eyJ" * 500_000,
    "nested brackets": b"[" * 1_000_000,
    "NULs": b"\0" * 2_000_000,
    "manifests": b"kind: secret\ndata:\n a: b\n" * 20_000,
    "cookies": b"cookie: " * 150_000,
    "machines": b"machine a login b " * 60_000,
    "mysql": b"mysql " * 200_000,
}


@pytest.mark.timeout(60)
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_input_is_scanned_in_bounded_time_and_memory(scanner: Scanner, name: str) -> None:
    found = scanner.scan_bytes(HOSTILE[name], "x")
    assert len(found) < 10_000


def test_growth_allows_what_honest_documents_decode_to(scanner: Scanner, github_token: str) -> None:
    assert LARGEST_GROWTH >= 8
    text = json.dumps({"a": [DISGUISES["base64"](f"{at} honest words, and many of them") for at in range(5000)]})
    assert rules(scanner, text) == set()
