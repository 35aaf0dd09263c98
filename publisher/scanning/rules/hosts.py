"""Names of hosts that only an inner network knows."""

from __future__ import annotations

import re
from collections.abc import Iterator

from publisher.scanning.passage import Form
from publisher.scanning.rules.interface import Hit

RULE = "SCAN-HOST-001"
LABEL = "internal host name"
LONGEST_NAME = 253

# The end of the name is found first: a search for "labels, then suffix" would try every word of the text.
# No `(` after it, since `threading.local()` is code; no title case, since "total.Internal rate" lacks a blank.
_SUFFIXES = ["svc.cluster.local", "internal", "local", "corp", "lan", "intranet", "localdomain", "home.arpa"]
_SUFFIX = re.compile(
    rf"\.(?:{'|'.join(re.escape(form) for suffix in _SUFFIXES for form in (suffix, suffix.upper()))})"
    r"(?![A-Za-z0-9_(-]|\.[A-Za-z0-9_])"
)
_LABELS_BEFORE = re.compile(r"(?i)(?<![A-Za-z0-9_.-])(?:[a-z0-9](?:[a-z0-9-]{0,62})\.)*[a-z0-9][a-z0-9-]{0,62}\Z")
_SCHEME_BEFORE = re.compile(
    r"(?i)(?<![a-z0-9])(?:https?|wss?|s?ftps?|ssh|git|tcp|grpcs?|postgres(?:ql)?|mysql|rediss?|amqps?|mongodb|ldaps?|smb)\Z"
)
LONGEST_SCHEME = 12
_SINGLE_LABEL = re.compile(
    r"://(?:[^\s/@\"'<>]{0,256}@)?([A-Za-z0-9_-]{1,63})(?![A-Za-z0-9_.@%-])(?!:[^\s/@\"'<>]{0,256}@)"
)
_HARMLESS = frozenset({"localhost"})


class InternalHosts:
    """Finds names under `.internal`, `.local`, `.corp`, `.lan`, `.intranet`, `.svc.cluster.local`,
    `.localdomain`, `.home.arpa`, and URLs whose host is a single label other than `localhost`."""

    def find(self, text: str, form: Form) -> Iterator[Hit]:
        """Hits by suffix, then by URL."""
        for match in _SUFFIX.finditer(text):
            base = max(0, match.start() - LONGEST_NAME)
            labels = _LABELS_BEFORE.search(text[base : match.start()])
            if labels:
                yield Hit(RULE, LABEL, base + labels.start(), match.end())
        for match in _SINGLE_LABEL.finditer(text):
            host = match[1].lower()
            scheme = _SCHEME_BEFORE.search(text[max(0, match.start() - LONGEST_SCHEME) : match.start()])
            if scheme and host not in _HARMLESS and not host.isdigit():
                yield Hit(RULE, LABEL, match.start(1), match.end(1))
