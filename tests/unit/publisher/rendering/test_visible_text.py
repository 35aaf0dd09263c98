import html
import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import escape

from publisher.rendering.visible_text import escaped, marked_up, plain, shown_short

# Default_Ignorable_Code_Point, DerivedCoreProperties.txt of Unicode 16.
IGNORABLE = (
    (0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F),
    (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF),
)  # fmt: skip
FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("nul\x00", "nul[NUL]"),
        ("\x1b[31mred", "[ESC][31mred"),
        ("a\r\nb\tc", "a[CR]\nb\tc"),
        ("\x7f\x85", "[U+007F][U+0085]"),
        ("\u202eabc\u202c", "[U+202E]abc[U+202C]"),
        ("\u2066a\u2069\u200f", "[U+2066]a[U+2069][U+200F]"),
        ("zero\u200bwidth\ufeff", "zero[U+200B]width[U+FEFF]"),
        ("join\u200ders", "join[U+200D]ers"),
        ("line\u2028para\u2029", "line[U+2028]para[U+2029]"),
        ("smuggled\U000e0041", "smuggled[U+E0041]"),
        (FAMILY, FAMILY),
        *(
            (seen, seen)
            for seen in (
                "❤\ufe0f",
                "☺\ufe0e",
                "1\ufe0f\u20e3 #\ufe0f\u20e3",
                "❤\ufe0f\u200d🔥",
                "🐦\u200d⬛",
                "↔\ufe0f",
            )
        ),
        ("a\ufe0fb\ufe00", "a[U+FE0F]b[U+FE00]"),
        ("1\ufe0f", "1[U+FE0F]"),
        ("\ufe0e中\ufe0e", "[U+FE0E]中[U+FE0E]"),
        ("❤\ufe0f\ufe0f\ufe0e\ufe01", "❤\ufe0f[U+FE0F][U+FE0E][U+FE01]"),
        ("a\ufe0f\u200d🔥", "a[U+FE0F][U+200D]🔥"),
        ("blank\u2800 note\U0001d159", "blank[U+2800] note[U+1D159]"),
        ("\U00013430\U00013438\U0001bca0\U0001bca3", "[U+13430][U+13438][U+1BCA0][U+1BCA3]"),
        ("e\u0301 \u00e9 你好 مرحبا", "e\u0301 \u00e9 你好 مرحبا"),
    ],
)
def test_unseen_characters_are_named_and_all_others_stay(text: str, shown: str) -> None:
    assert plain(text) == shown


def test_a_mark_is_an_element_that_no_text_can_fake() -> None:
    assert marked_up("\u202e") == '<span class="unseen">[U+202E]</span>'
    assert marked_up('<span class="unseen">[U+202E]</span>') == (
        "&lt;span class=&#34;unseen&#34;&gt;[U+202E]&lt;/span&gt;"
    )


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_no_text_is_lost_and_none_becomes_markup(text: str) -> None:
    without_marks = re.sub(r'<span class="unseen">|</span>', "", marked_up(text))
    assert "<" not in without_marks
    assert html.unescape(without_marks) == plain(text)


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_no_control_or_direction_character_is_left(text: str) -> None:
    left = [c for c in plain(text) if unicodedata.category(c) == "Cc" and c not in "\n\t"]
    assert not left
    assert not any(
        unicodedata.bidirectional(c) in {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI"} for c in plain(text)
    )


@pytest.mark.parametrize(("first", "last"), IGNORABLE)
def test_every_character_that_a_font_may_ignore_is_named(first: int, last: int) -> None:
    for code in range(first, last + 1):
        assert plain(f"a{chr(code)}b") == f"a[U+{code:04X}]b"


@given(st.text())
def test_a_text_is_escaped_as_the_library_of_templates_does(text: str) -> None:
    assert escaped(text) == str(escape(text))


@given(st.text(st.sampled_from("a<&\n\t\r\0\x1b\u202e\u200b中")))
def test_lines_and_marks_of_a_text_are_the_same_wherever_it_stands(text: str) -> None:
    joined = "".join(marked_up(character) for character in text)
    assert marked_up(text) == joined
    assert shown_short(text) == escape(plain(text))
