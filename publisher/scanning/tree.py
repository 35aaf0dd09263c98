"""The files below a path, in an order that no file system decides."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple

from publisher.scanning.errors import ScanError


class Entry(NamedTuple):
    """A file to scan, or a link that leads out of the tree (or nowhere) and is not followed. `inner` is its
    path as a reader of the tree sees it; `size` is its bytes when it was listed."""

    path: Path
    inner: str
    kind: Literal["file", "stray link"]
    size: int = 0


def entries(root: Path) -> Iterator[Entry]:
    """`root` itself if it is no directory, else everything below it, by name. A link into the tree is left
    out: what it leads to is met where it stands.

    Raises ScanError (`SCAN-READ-001`, naming the path) for what can't be read: missing, forbidden, a device
    or pipe inside a tree.
    """
    if not root.is_dir():
        yield Entry(root, root.name, "file", _size(root))
        return
    yield from _below(root, root.resolve(), "")


def _below(directory: Path, top: Path, inner: str) -> Iterator[Entry]:
    try:
        with os.scandir(directory) as listing:
            found = sorted(listing, key=lambda entry: os.fsencode(entry.name))
    except OSError as fault:
        raise unreadable(directory, fault) from fault
    for entry in found:
        path, name = Path(entry.path), inner + entry.name
        if entry.is_symlink():
            if not _leads_inside(path, top):
                yield Entry(path, name, "stray link")
        elif entry.is_dir(follow_symlinks=False):
            yield from _below(path, top, name + "/")
        elif stat.S_ISREG((status := entry.stat(follow_symlinks=False)).st_mode):
            yield Entry(path, name, "file", status.st_size)
        else:
            raise unreadable(path, OSError("neither a file nor a directory"))


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError as fault:
        raise unreadable(path, fault) from fault


def _leads_inside(path: Path, top: Path) -> bool:
    try:
        return path.resolve(strict=True).is_relative_to(top)
    except (OSError, RuntimeError):
        return False


def unreadable(path: Path, fault: OSError) -> ScanError:
    """The error for a path that can't be read."""
    return ScanError(
        f"cannot read {path}: {fault.strerror or fault}",
        hint="make it readable, or leave it out: what can't be read can't be cleared",
        code="SCAN-READ-001",
    )
