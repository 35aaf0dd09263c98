from __future__ import annotations

import sys
import unicodedata

import pytest

from publisher.scanning.layers.characters import CHARACTERS, LETTER_MARK, SIGN_MARK


def test_every_character_that_nfkc_turns_into_ascii_letters_or_digits_is_known() -> None:
    missed = []
    for code in range(0x80, sys.maxunicode + 1):
        if 0xD800 <= code < 0xE000:
            continue
        plain = unicodedata.normalize("NFKC", chr(code))
        if plain.isascii() and any(map(str.isalnum, plain)):
            data = chr(code).encode()
            if not LETTER_MARK.search(data) or CHARACTERS.apply(data) != plain.encode():
                missed.append(hex(code))
    assert missed == []


def test_every_format_character_that_shows_nothing_is_taken_out() -> None:
    # Cf less the prefixed number signs and the anchors of annotations, which are seen.
    seen = {*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0xFFF9, 0xFFFA, 0xFFFB, 0x110BD, 0x110CD}
    seen |= {*range(0x13430, 0x13440)}
    hidden = [chr(code) for code in range(sys.maxunicode + 1) if unicodedata.category(chr(code)) == "Cf"]
    left = [hex(ord(char)) for char in hidden if ord(char) not in seen and CHARACTERS.apply(char.encode())]
    assert left == []


@pytest.mark.parametrize("text", ["净值：1.0，上涨（2%）！", "“quoted” — dash… é ü 中文", "AAPL，GOOG"])
def test_everyday_text_has_no_marks(text: str) -> None:
    assert not LETTER_MARK.search(text.encode())
    assert not SIGN_MARK.search(text.encode())


def test_full_width_sign_between_ascii_is_a_mark() -> None:
    assert SIGN_MARK.search("10．0".encode())
    assert CHARACTERS.apply("ｓｋ－１．２".encode()) == b"sk-1.2"
