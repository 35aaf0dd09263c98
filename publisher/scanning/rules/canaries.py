"""Strings planted where nobody should read, so that finding one tells of a leak."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from publisher.scanning.errors import ScanError
from publisher.scanning.gate import Gate
from publisher.scanning.rules.interface import Hit
from publisher.scanning.rules.known_values import literal, occurrences

RULE = "SCAN-CANARY-001"
SHORTEST = 8


class Canaries:
    """Finds the strings handed in. Raises ScanError (`SCAN-VALUE-001`) for one of fewer than 8 characters."""

    marks: tuple[re.Pattern[bytes], ...] = ()  # as in KnownValues

    def __init__(self, canaries: Collection[str]) -> None:
        if any(len(canary.strip()) < SHORTEST for canary in canaries):
            raise ScanError(
                f"a canary of fewer than {SHORTEST} characters would be found everywhere",
                hint="plant a longer one",
                code="SCAN-VALUE-001",
            )
        self._wanted = sorted({canary.strip().encode("utf-8", "surrogatepass") for canary in canaries})
        self._gate = Gate([literal(wanted) for wanted in self._wanted])

    def may_hold(self, data: bytes) -> bool:
        """Whether any of them occurs."""
        return bool(self._gate.passed(data))

    def find(self, data: bytes) -> Iterator[Hit]:
        """Hits by canary."""
        for wanted in self._wanted:
            for start, end in occurrences(wanted, data):
                yield Hit(RULE, "canary string", start, end)
