"""A page as its tags say it: elements, ids, links and text, in document order."""

from __future__ import annotations

from functools import cached_property
from html.parser import HTMLParser
from pathlib import Path

VOID = frozenset(("meta", "link", "img", "br", "hr", "input", "rect", "line"))


class HtmlPage(HTMLParser):
    """`elements` holds (tag, attributes), `links` every href and src, `text` all text outside `<head>`."""

    def __init__(self, markup: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.unclosed: list[str] = []
        self.faults: list[str] = []
        self._text: list[str] = []
        self.feed(markup)
        self.close()

    @classmethod
    def read(cls, path: Path) -> HtmlPage:
        return cls(path.read_text(encoding="utf-8"))

    @cached_property
    def text(self) -> str:
        return "".join(self._text)

    @cached_property
    def cells(self) -> str:
        """The text with a space between elements, and no other space twice."""
        return " ".join(" ".join(self._text).split())

    @property
    def ids(self) -> list[str]:
        return [attributes["id"] or "" for _, attributes in self.elements if "id" in attributes]

    @property
    def links(self) -> list[str]:
        return [
            value or ""
            for _, attributes in self.elements
            for name, value in attributes.items()
            if name in ("href", "src")
        ]

    @property
    def shape(self) -> set[tuple[str, str]]:
        """Every pair of a tag and an attribute name (empty for the tag itself)."""
        return {(tag, name) for tag, attributes in self.elements for name in ("", *attributes)}

    def values(self, tag: str, attribute: str) -> list[str | None]:
        return [attributes[attribute] for name, attributes in self.elements if name == tag and attribute in attributes]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if len(dict(attrs)) != len(attrs):
            self.faults.append(f"attribute twice in <{tag}>")
        if tag not in VOID:
            self.unclosed.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if not self.unclosed or self.unclosed.pop() != tag:
            self.faults.append(f"</{tag}> closes nothing")

    def handle_data(self, data: str) -> None:
        if "head" not in self.unclosed:
            self._text.append(data)


def read_pages(site: Path) -> dict[str, HtmlPage]:
    """Every page of a site by its relative name."""
    return {path.relative_to(site).as_posix(): HtmlPage.read(path) for path in sorted(site.rglob("*.html"))}
