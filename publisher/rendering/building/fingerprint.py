"""What makes pages besides a snapshot: the code and the templates, as one hash."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable

_PACKAGES = ("dataset", "publisher", "site_templates")
_LEFT_OUT = ("__pycache__", "packs", "migrations")


@cache
def fingerprint() -> str:
    """sha256 over every source file that could change a page, in hexadecimal: another version renders anew."""
    digest = sha256()
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
