"""XML as bytes: the same on every machine, escaped, without a character that XML can't hold."""

from __future__ import annotations

from xml.etree import ElementTree

from publisher.rendering.visible_text import plain


def element(tag: str, text: str | None = None, **attributes: str) -> ElementTree.Element:
    """An element; every unseen character of its text and attributes is named."""
    made = ElementTree.Element(tag, {name: plain(value) for name, value in attributes.items()})
    made.text = plain(text) if text is not None else None
    return made


def xml_bytes(root: ElementTree.Element) -> bytes:
    """A document in UTF-8, indented, with its declaration."""
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'.encode()
