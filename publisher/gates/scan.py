"""`GATE-SCAN`: no secret, internal address or system-prompt marker in anything that would be public."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from publisher.gates.interface import Fault, RunExhibit
from publisher.scanning.finding import Finding
from publisher.verification.files import run_name

FOUND = "GATE-SCAN-001"


class ByteScanner(Protocol):
    """What the gate needs of `publisher.scanning.scanner.Scanner`."""

    def scan_bytes(self, data: bytes, name: str) -> Sequence[Finding]:
        """Masked findings in some bytes and in their name."""
        ...


class Scan:
    """`-001` a finding, with its rule, place and masked excerpt. Zero tolerance: there is no allow list."""

    def __init__(self, scanner: ByteScanner) -> None:
        self._scanner = scanner

    def run_faults(self, run: RunExhibit) -> Iterator[Fault]:
        """A fault for each finding in one artifact, whether it can be believed or not."""
        yield from self.file_faults(run_name(run.stored.run_id), run.public, run.batch.batch_id, run.stored.run_id)

    def file_faults(self, name: str, data: bytes, batch_id: str | None, run_id: str | None = None) -> Iterator[Fault]:
        """A fault for each finding in a file as it would be written."""
        for finding in self._scanner.scan_bytes(data, name):
            message = f"{finding.rule}: {finding.label} {finding.excerpt}"
            yield Fault(code=FOUND, batch_id=batch_id, run_id=run_id, place=finding.place, message=message)
