"""The catalogue of one language: every message's text, read from the `.po` files of `site_templates`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable

from babel.messages.catalog import Message
from babel.messages.pofile import read_po


@dataclass(frozen=True, kw_only=True, slots=True)
class Catalogue:
    """Texts by the English text; of a plural by its singular."""

    texts: Mapping[str, str]


EMPTY = Catalogue(texts={})


def read_catalogue(code: str) -> Catalogue:
    """Every finished entry of every file of a language."""
    return Catalogue(
        texts={
            singular_of(entry): str(entry.string[0] if isinstance(entry.string, (tuple, list)) else entry.string)
            for _, entry in catalogue_entries(code)
            if not entry.fuzzy and entry.string
        }
    )


def catalogue_entries(code: str) -> Iterator[tuple[str, Message]]:
    """Each entry with the name of the file that it stands in; files by name, entries in their order."""
    for file in catalogue_files(code):
        with file.open("rb") as stream:
            for entry in read_po(stream, locale=code, abort_invalid=True):
                if entry.id:
                    yield file.name, entry


def catalogue_files(code: str) -> list[Traversable]:
    """The `.po` files of a language, by name."""
    folder = files("site_templates").joinpath("translations", code)
    return sorted((file for file in folder.iterdir() if file.name.endswith(".po")), key=lambda file: file.name)


def singular_of(entry: Message) -> str:
    """The English text that an entry is found by."""
    return str(entry.id[0] if isinstance(entry.id, (tuple, list)) else entry.id)
