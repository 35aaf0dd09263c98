"""The assets of a site: one stylesheet, the scripts, the icon, each under a name that holds its hash.

A page names exactly the bytes that it was made with, so an asset may be cached for ever and never be stale.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files

from dataset.canonical import sha256_hex

STYLES = ("tokens", "base", "parts", "tables", "boards", "runs", "plots", "compare", "search", "media")
"""The sources of the stylesheet, in the order that they are joined in: later ones win."""
SCRIPTS = ("evidence.js", "release_log.js", "check.js")
"""Scripts that check a run on its page, in the order that they need one another."""
SEARCH_SCRIPT = "search.js"
"""Loaded by the page that searches alone."""
STYLESHEET = "style.css"
ICON = "icon.svg"
BOARD_SCRIPT = "boards.js"
NAMES = (STYLESHEET, ICON, *SCRIPTS, BOARD_SCRIPT, SEARCH_SCRIPT)
_FOLDER = "assets"
_HASH = 10


def template_file(name: str) -> bytes:
    """A file of the package `site_templates`."""
    return files("site_templates").joinpath(name).read_bytes()


def asset_files() -> Iterator[tuple[str, bytes]]:
    """Every asset: its name in the site, and its bytes."""
    for name in NAMES:
        yield asset_name(name), asset_bytes(name)


@cache
def asset_name(name: str) -> str:
    """Where an asset stands below the site's root: `assets/style.1f0c3a5b7d.css`."""
    stem, _, ending = name.rpartition(".")
    return f"{_FOLDER}/{stem}.{sha256_hex(asset_bytes(name))[:_HASH]}.{ending}"


@cache
def asset_bytes(name: str) -> bytes:
    """What an asset holds."""
    if name == STYLESHEET:
        return b"".join(template_file(f"styles/{source}.css") for source in STYLES)
    data = template_file(name)
    return _lean(data.decode()).encode() if name.endswith(".js") else data


def _lean(script: str) -> str:
    """A script without indentation, lines of comment and spaces beside operators. No library does it: another version
    of one would give other bytes. A test holds the scripts to what this leaves whole: no text over several lines."""
    lines = (line.strip() for line in script.splitlines())
    kept = (line for line in lines if line and not line.startswith(("//", "/*", "*")))
    return "\n".join(map(_squeezed, kept)) + "\n"


_QUOTED = re.compile(r'("[^"]*"|`[^`]*`)')
_BESIDE = re.compile(r" ?(=>|[=!]==|[<>]=|&&|\|\||\?\?|[-+]=|[][()=,:;?{}<>]) ?")


def _squeezed(line: str) -> str:
    """A line without spaces beside operators; as it is where anything but plain code and plain texts stands in it."""
    parts = _QUOTED.split(line)
    if any(set(code) & set("\\/'\"`") for code in parts[::2]) or any("\\" in text for text in parts[1::2]):
        return line
    return "".join(part if place % 2 else _BESIDE.sub(r"\1", part) for place, part in enumerate(parts))
