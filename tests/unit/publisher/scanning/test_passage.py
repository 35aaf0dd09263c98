from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from publisher.scanning.passage import Passage, Sheet


@given(st.lists(st.text(max_size=12), min_size=1, max_size=8))
def test_every_character_leads_back_to_its_passage(texts: list[str]) -> None:
    sheet = Sheet([(10 + at, Passage(text, f"file {at}")) for at, text in enumerate(texts)])
    at = 0
    for number, text in enumerate(texts):
        for inside in range(len(text)):
            found, passage, offset = sheet.locate(at + inside)
            assert (found, passage.text, offset) == (10 + number, text, inside)
        at += len(text) + 3


def test_match_that_begins_on_a_separator_belongs_to_the_next_passage() -> None:
    sheet = Sheet([(0, Passage("ab", "x")), (1, Passage("cd", "y"))])
    assert [sheet.locate(at)[1].source for at in range(2, 6)] == ["y"] * 4


def test_place_names_line_pointer_nesting_and_key() -> None:
    assert Passage("a\nb\nc", "f", first_line=5).place(2, ()) == "f:7"
    assert Passage("v", "f", pointers=(("a/b", "c~d"), ("0",)), is_key=True).place(0, ()) == "f#/a~1b/c~0d#/0 (key)"
    assert Passage("", "f", pointers=((),)).place(0, ()) == "f#"


def test_place_conceals_a_secret_even_where_the_pointer_escapes_it() -> None:
    secret = "se/cr~et" * 2
    place = Passage("v", f"dir/{secret}.json", pointers=((f"x{secret}y",),)).place(0, {secret})
    assert secret not in place
    assert secret.replace("~", "~0").replace("/", "~1") not in place
