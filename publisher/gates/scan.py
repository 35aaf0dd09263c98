"""`GATE-SCAN`: no secret, internal address or system-prompt marker in anything that would be public."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator, Sequence
from typing import Protocol

from dataset.canonical import CanonicalError, Json, read_strict
from publisher.gates.interface import Fault, RunExhibit
from publisher.scanning.finding import Finding
from publisher.verification.files import run_name

FOUND = "GATE-SCAN-001"
_MARK = b'"encoding":"base64"'


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
        """A fault for each finding in a file as it would be written, text kept as base64 decoded too."""
        found = list(self._scanner.scan_bytes(data, name))
        for pointer, raw in _hidden_texts(data):
            found += self._scanner.scan_bytes(raw, f"{name}#{pointer}")
        for finding in found:
            message = f"{finding.rule}: {finding.label} {finding.excerpt}"
            yield Fault(code=FOUND, batch_id=batch_id, run_id=run_id, place=finding.place, message=message)


def _hidden_texts(data: bytes) -> Iterator[tuple[str, bytes]]:
    """Text from outside that had no Unicode form and was kept as base64 (`dataset.artifacts.outside_text`)."""
    if _MARK not in data:
        return
    try:
        stack: list[tuple[str, Json]] = [("", read_strict(data))]
    except CanonicalError:  # such bytes are refused by their seal, and scanned as they are
        return
    while stack:
        pointer, value = stack.pop()
        if isinstance(value, list):
            stack += [(f"{pointer}/{i}", inner) for i, inner in enumerate(value)]
        elif isinstance(value, dict):
            if value.get("encoding") == "base64" and isinstance(value.get("data"), str):
                yield from _decoded(pointer, value["data"])
            stack += [(f"{pointer}/{key}", inner) for key, inner in value.items()]


def _decoded(pointer: str, text: str) -> Iterator[tuple[str, bytes]]:
    try:
        yield f"{pointer}/data", base64.b64decode(text)
    except binascii.Error:
        return
