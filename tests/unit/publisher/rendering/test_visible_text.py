import html
import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import escape

from publisher.rendering.visible_text import escaped, marked_up, plain, shown_short

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


@given(st.text())
def test_a_text_is_escaped_as_the_library_of_templates_does(text: str) -> None:
    assert escaped(text) == str(escape(text))


@given(st.text(st.sampled_from("a<&\n\t\r\0\x1b\u202e\u200b中")))
def test_lines_and_marks_of_a_text_are_the_same_wherever_it_stands(text: str) -> None:
    joined = "".join(marked_up(character) for character in text)
    assert marked_up(text) == joined
    assert shown_short(text) == escape(plain(text))
