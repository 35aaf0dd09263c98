"""A scanner that knows one word, where a test is about what becomes of a finding."""

from __future__ import annotations

from dataclasses import dataclass

from publisher.scanning.finding import Finding, mask


@dataclass(frozen=True, kw_only=True)
class WordScanner:
    """Finds one word as it is written, and nothing else."""

    word: str = "plantedsecret"

    def scan_bytes(self, data: bytes, name: str) -> list[Finding]:
        """One finding where the word stands in the bytes or their name."""
        if self.word.encode() not in data and self.word not in name:
            return []
        return [Finding(rule="SCAN-WORD-001", label="the planted word", place=name, excerpt=mask(self.word))]
