"""What a layer is: one way to turn a document into texts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Protocol

from publisher.scanning.layers.json_value import parse
from publisher.scanning.passage import Form, Passage


@dataclass(frozen=True, kw_only=True, slots=True)
class Document:
    """What is scanned. `source` is how places name it; `first_line` is the number of its first line, or None
    where lines mean nothing; `value` is its JSON value as `parse` gives it, None where it is no JSON."""

    text: str
    source: str
    first_line: int | None
    form: Form
    value: Any

    @classmethod
    def whole(cls, text: str, source: str, *, first_line: int | None = 1) -> Document:
        """A complete document."""
        value = parse(text)
        form: Form = "notation" if isinstance(value, list) else "prose"
        return cls(text=text, source=source, first_line=first_line, form=form, value=value)

    @classmethod
    def window(cls, text: str, source: str, *, first_line: int, form: Form) -> Document:
        """A piece of a document too large to be read at once."""
        return cls(text=text, source=source, first_line=first_line, form=form, value=None)


class Layer(Protocol):
    """One way of reading a document. Pure."""

    def passages(self, document: Document) -> Iterable[Passage]:
        """The texts this layer sees, none if it has nothing to add."""
        ...
