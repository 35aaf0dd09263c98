"""E-mail addresses and telephone numbers of people: looked for where a pack says that it holds personal data."""

from __future__ import annotations

import re
from collections.abc import Iterator

from publisher.scanning.rules.interface import Hit

MAIL_RULE = "SCAN-MAIL-001"
PHONE_RULE = "SCAN-PHONE-001"
_MAIL = re.compile(
    rb"(?<![A-Za-z0-9._%+-])[A-Za-z0-9](?:[A-Za-z0-9._%+-]{0,62}[A-Za-z0-9_+-])?"
    rb"@((?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.){1,8}[A-Za-z]{2,24})(?![A-Za-z0-9-])"
)
# Names that RFC 2606 and RFC 6761 keep for examples.
_EXAMPLE = re.compile(rb"(?i)(?:^|\.)(?:example(?:\.(?:com|net|org))?|test|invalid|localhost)\Z")
# ITU-T E.164 with its plus; a mobile number of mainland China; the North American plan (not the 555-01xx of fiction).
_PHONE = re.compile(
    rb"(?<![A-Za-z0-9+.])(?:\+[1-9](?:[ ()-]{0,2}[0-9]){7,14}|1[3-9][0-9](?:[ -]?[0-9]{4}){2}"
    rb"|\(?[2-9][0-9]{2}\)?[ -][2-9][0-9]{2}-[0-9]{4})(?![A-Za-z0-9]|[.-][0-9])"
)
_FICTION = re.compile(rb"555-?01[0-9]{2}\Z")


class Contacts:
    """Finds both; names kept for examples and numbers kept for fiction belong to nobody."""

    marks = (_MAIL, _PHONE)

    def find(self, data: bytes) -> Iterator[Hit]:
        """Hits in order, addresses before numbers."""
        for match in _MAIL.finditer(data):
            if not _EXAMPLE.search(match[1]):
                yield Hit(MAIL_RULE, "e-mail address", match.start(), match.end())
        for match in _PHONE.finditer(data):
            if not _FICTION.search(match[0]):
                yield Hit(PHONE_RULE, "telephone number", match.start(), match.end())
