"""Manifests of Kubernetes Secrets with their data (Kubernetes documentation, "Secrets": values in base64)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from publisher.scanning.rules.credentials import PREFIX
from publisher.scanning.rules.interface import Hit

# How far `data:` may stand from `kind: Secret`.
REACH = 2000
_KIND = re.compile(rb"\bkind:[ \t]{0,4}[\"']?secret\b", re.IGNORECASE)
_DATA = re.compile(rb"(?:^|\n)[ \t]{0,16}data:[ \t]{0,16}\r?\n((?:[ \t]{1,32}[^\n]{0,4096}\n?){1,64})")
_ENTRY = re.compile(
    rb"[\w.-]{1,253}:[ \t]{0,8}(?:[|>][+-]?[ \t]{0,8}\r?\n[ \t]{0,32})?[\"']?([A-Za-z0-9+/]{14,}={0,2})"
    rb"(?![\w+/=.-])"
)


class KubernetesSecrets:
    """Finds the first value of each such manifest: `SCAN-CRED:kubernetes-secret-yaml`."""

    marks = (_KIND,)

    def find(self, data: bytes) -> Iterator[Hit]:
        """Hits in order."""
        for kind in _KIND.finditer(data):
            base = max(0, kind.start() - REACH)
            near = data[base : kind.end() + REACH]
            for block in _DATA.finditer(near):
                entry = _ENTRY.search(block[1])
                if entry and len(entry[1]) % 4 == 0:
                    start = base + block.start(1) + entry.start(1)
                    label = "credential: Kubernetes secret"
                    yield Hit(PREFIX + "kubernetes-secret-yaml", label, start, start + len(entry[1]))
