"""Paths below somebody's home directory, and of temporary files: both tell of the machine a text was made on."""

from __future__ import annotations

import re
from collections.abc import Iterator

from publisher.scanning.rules.interface import Hit

HOME_RULE = "SCAN-PATH-001"
TEMPORARY_RULE = "SCAN-PATH-002"

# A path begins where neither a host nor another path segment stands before it; `file://` is the one URL that
# names a path of this machine.
_BEGINNING = rb"(?:(?<![A-Za-z0-9_./~%)\]}-])|(?<=file://)|(?<=file://localhost))"
_USER = rb"[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}"
_NAME = rb"[A-Za-z0-9_.-]*[A-Za-z0-9_-][A-Za-z0-9_.-]*"
_DRIVE = rb"(?<![A-Za-z0-9])[A-Za-z]:[\\/]{1,4}"
_PLACES = (
    (
        HOME_RULE,
        "home path",
        rb"(?:(?:/var|/export)?/home/" + _USER + rb"|(?:/mnt/[a-z])?/Users/" + _USER + rb"|/root/[A-Za-z0-9_.-]+)",
        rb"(?:[Uu]sers|USERS|Documents and Settings)[\\/]{1,4}[^\\/\s\"'<>|:*?%$]+",
    ),
    (
        TEMPORARY_RULE,
        "temporary path",
        rb"(?:(?:/private|/var)?/tmp/|/dev/shm/|(?:/private)?/var/folders/[a-z0-9_]{2}/|/run/user/)" + _NAME,
        rb"(?:[Ww]indows[\\/]{1,4})?(?:[Tt]e?mp|TE?MP)[\\/]{1,4}[^\\/\s\"'<>|:*?%$()]+",
    ),
)
_PATTERNS = tuple(
    (rule, label, re.compile(pattern))
    for rule, label, unix, windows in _PLACES
    for pattern in (_BEGINNING + unix, _DRIVE + windows)
)


class LocalPaths:
    """Finds `/home/<user>`, `/Users/<user>`, `/root/…`, `C:\\Users\\<user>`, `/tmp/…`, `/var/folders/…`, `C:\\Temp\\…`;
    not the path of a web address, not a placeholder such as `/home/$USER`."""

    marks = tuple(pattern for _, _, pattern in _PATTERNS)

    def find(self, data: bytes) -> Iterator[Hit]:
        """Hits by kind of path."""
        for rule, label, pattern in _PATTERNS:
            for match in pattern.finditer(data):
                yield Hit(rule, label, match.start(), match.end())
