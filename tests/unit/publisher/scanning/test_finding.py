from __future__ import annotations

import json

from hypothesis import example, given
from hypothesis import strategies as st

from publisher.scanning.finding import Finding, conceal, hidden, mask, printable

ANY_TEXT = st.text(st.characters(), min_size=2, max_size=200)


@given(ANY_TEXT)
@example("1…[8]…[8]")
@example("\ud800" * 9)
def test_mask_never_contains_the_secret(secret: str) -> None:
    for masked in (mask(secret), hidden(secret)):
        assert secret not in masked
        assert repr(secret)[1:-1] not in masked


@given(ANY_TEXT)
def test_mask_shows_at_most_four_characters_and_a_quarter(secret: str) -> None:
    shown = mask(secret).split("…")[0]
    assert len(shown) <= 4
    assert len(shown) * 4 <= len(secret)


@given(st.text(st.characters(), min_size=8, max_size=60), st.text(max_size=20), st.text(max_size=20))
def test_concealed_text_no_longer_contains_the_secret(secret: str, before: str, after: str) -> None:
    if secret not in before + mask(secret) + after:
        assert secret not in conceal(before + secret + after, [secret])


def test_longest_secret_is_concealed_first() -> None:
    assert conceal("abcdefghijkl", ["abcdefgh", "abcdefghijkl"]) == mask("abcdefghijkl")


def test_printable_text_survives_any_encoder() -> None:
    assert printable("a\ud800\x1b[2J\n中") == "a\\ud800\\x1b[2J\\n中"


def test_finding_is_a_json_object_of_strings() -> None:
    finding = Finding(rule="SCAN-ADDR-001", label="private address range", place="a.json#/x", excerpt="1…[8]")
    assert json.loads(json.dumps(finding.as_json())) == {
        "rule": "SCAN-ADDR-001",
        "label": "private address range",
        "place": "a.json#/x",
        "excerpt": "1…[8]",
    }
