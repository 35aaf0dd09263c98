from __future__ import annotations

from publisher.scanning.layers.escapes import Escapes
from publisher.scanning.layers.interface import Document


def decoded(text: str) -> list[tuple[str, str]]:
    return [(each.place(0, ()), each.text) for each in Escapes().passages(Document.whole(text, "f"))]


def test_backslash_escapes_are_decoded_line_by_line() -> None:
    assert decoded('plain\n{"a": "\\u0041\\x42\\nC"') == [("f:2", '{"a": "AB\nC"')]


def test_html_entities_are_decoded() -> None:
    assert decoded("<p>&#65;&amp;&lt;</p>") == [("f:1", "<p>A&<</p>")]


def test_escapes_of_escapes_are_decoded_to_depth_three() -> None:
    assert [text for _, text in decoded("\\\\\\\\u0041")] == ["\\\\u0041", "\\u0041", "A"]


def test_json_document_is_left_to_exact_decoding() -> None:
    assert decoded('{"a": "\\u0041"}') == []
