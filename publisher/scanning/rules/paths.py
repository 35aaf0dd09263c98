"""Paths below somebody's home directory."""

from __future__ import annotations

import re
from collections.abc import Iterator

from publisher.scanning.passage import Form
from publisher.scanning.rules.interface import Hit

RULE = "SCAN-PATH-001"
LABEL = "home path"

# A path begins where neither a host nor another path segment stands before it; `file://` is the one URL that
# names a path of this machine.
_BEGINNING = r"(?:(?<![A-Za-z0-9_./~%)\]}-])|(?<=file://)|(?<=file://localhost))"
_USER = r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}"
_UNIX = re.compile(
    rf"{_BEGINNING}(?:(?:/var|/export)?/home/{_USER}|(?:/mnt/[a-z])?/Users/{_USER}|/root/[A-Za-z0-9_.-]+)"
)
_WINDOWS = re.compile(
    r"(?<![A-Za-z0-9])[A-Za-z]:[\\/]{1,4}(?:[Uu]sers|USERS|Documents and Settings)[\\/]{1,4}[^\\/\s\"'<>|:*?%$]+"
)
# Each with the texts of which one must occur, sought first because that costs next to nothing.
_PATTERNS = (
    (_UNIX, ("/home/", "/Users/", "/root/")),
    (_WINDOWS, ("sers\\", "sers/", "SERS\\", "SERS/", "and Settings")),
)


class HomePaths:
    """Finds `/home/<user>`, `/Users/<user>`, `/root/…` and `C:\\Users\\<user>`; not the path of a web address,
    not a placeholder such as `/home/$USER`."""

    def find(self, text: str, form: Form) -> Iterator[Hit]:
        """Hits by kind of system."""
        for pattern, needles in _PATTERNS:
            if any(needle in text for needle in needles):
                for match in pattern.finditer(text):
                    yield Hit(RULE, LABEL, match.start(), match.end())
