"""What makes pages besides a snapshot: the code, the templates and the libraries that print, as one hash."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from importlib.resources import files
from importlib.resources.abc import Traversable
from platform import python_version

_PACKAGES = ("dataset", "publisher", "site_templates")
LIBRARIES = (
    "babel",
    "jinja2",
    "markdown-it-py",
    "markupsafe",
    "numpy",
    "orjson",
    "pydantic",
    "pydantic-core",
    "rfc8785",
    "snowballstemmer",
)
"""By the names of their distributions."""
_LEFT_OUT = ("__pycache__", "packs", "migrations")


@cache
def fingerprint() -> str:
    """sha256 over everything that could change a page, in hexadecimal: every source file, the version of Python,
    those of the libraries that read or print. With another version of any of these, everything is rendered anew."""
    digest = sha256(f"python {python_version()}\n".encode())
    for library in LIBRARIES:
        digest.update(f"{library} {version(library)}\n".encode())
    for package in _PACKAGES:
        for name, file in _files(files(package), package):
            data = file.read_bytes()
            digest.update(f"{name} {len(data)}\n".encode())
            digest.update(data)
    return digest.hexdigest()


def _files(folder: Traversable, name: str) -> Iterator[tuple[str, Traversable]]:
    for entry in sorted(folder.iterdir(), key=lambda found: found.name):
        if entry.name in _LEFT_OUT:
            continue
        if entry.is_dir():
            yield from _files(entry, f"{name}/{entry.name}")
        else:
            yield f"{name}/{entry.name}", entry
