"""Names of hosts that only an inner network knows."""

from __future__ import annotations

import re
from collections.abc import Iterator

from publisher.scanning.rules.disguise import in_disguise
from publisher.scanning.rules.interface import Hit

RULE = "SCAN-HOST-001"
LABEL = "internal host name"
LONGEST_NAME = 253

# Top-level names that no public resolver answers: `.internal` (ICANN, 2024), `.local` (RFC 6762), `.home.arpa`
# (RFC 8375), `.localdomain`, `.lan`, `.corp`, `.intranet` (RFC 6762, appendix G), and those of Kubernetes services.
_SUFFIXES = ["svc.cluster.local", "internal", "local", "corp", "lan", "intranet", "localdomain", "home.arpa"]
# The end of the name is found first: a search for "labels, then suffix" would try every word of the text.
# No `(` after it, since `threading.local()` is code; no title case, since "total.Internal rate" lacks a blank.
_SUFFIX = re.compile(
    rb"\.(?:"
    + b"|".join(re.escape(form.encode()) for suffix in _SUFFIXES for form in (suffix, suffix.upper()))
    + rb")(?![A-Za-z0-9_(-]|\.[A-Za-z0-9_])"
)
_LABELS_BEFORE = re.compile(rb"(?i)(?<![A-Za-z0-9_.-])(?:[a-z0-9](?:[a-z0-9-]{0,62})\.)*[a-z0-9][a-z0-9-]{0,62}\Z")
_SCHEME = rb"(?:https?|wss?|s?ftps?|ssh|git|tcp|grpcs?|postgres(?:ql)?|mysql|rediss?|amqps?|mongodb|ldaps?|smb)"
_SINGLE_LABEL = re.compile(
    rb"(?i)(?<![a-z0-9])" + _SCHEME + rb"://(?:[^\s/@\"'<>\x80-\xff]{0,256}@)?([a-z0-9_-]{1,63})"
    rb"(?![a-z0-9_.@%-])(?!:[^\s/@\"'<>]{0,256}@)"
)
# This machine, and words that say where a host would go.
_HARMLESS = frozenset({b"localhost", b"domain", b"host", b"hostname", b"example"})


class InternalHosts:
    """Finds names under `.internal`, `.local`, `.corp`, `.lan`, `.intranet`, `.svc.cluster.local`,
    `.localdomain`, `.home.arpa`, and URLs whose host is a single label other than `localhost` and placeholders."""

    marks = (
        re.compile(rb"[A-Za-z0-9]" + _SUFFIX.pattern),
        re.compile(
            _SCHEME + rb"://(?:[^\s/@\"'<>\x80-\xff]{0,256}@)?[a-z0-9_-]{1,63}(?:[^a-z0-9_.@%-]|$)", re.IGNORECASE
        ),
    )

    def find(self, data: bytes) -> Iterator[Hit]:
        """Hits by suffix, then by URL."""
        for match in _SUFFIX.finditer(data):
            base = max(0, match.start() - LONGEST_NAME)
            labels = _LABELS_BEFORE.search(data[base : match.start()])
            if labels:
                yield Hit(RULE, LABEL, base + labels.start(), match.end())
        for match in _SINGLE_LABEL.finditer(data):
            is_harmless = match[1].lower() in _HARMLESS or match[1].isdigit()
            if not is_harmless and not in_disguise(data, *match.span(1)):
                yield Hit(RULE, LABEL, match.start(1), match.end(1))
