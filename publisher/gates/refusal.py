"""A refusal: every reason why nothing was published, for people and for machines."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from dataset.canonical import canonical_bytes
from dataset.errors import GlassbenchError
from publisher.gates.interface import Fault
from publisher.gates.scan import ByteScanner

REFUSAL_SCHEMA = "glassbench.refusal/1"
WITHHELD = "its words are withheld: the scanner found something in them"


@dataclass(frozen=True, kw_only=True, slots=True)
class Refusal:
    """Every fault of every batch and run. Holds masked excerpts only."""

    faults: tuple[Fault, ...]

    def document(self) -> bytes:
        """`refusal.json`: canonical bytes."""
        return canonical_bytes({"schema": REFUSAL_SCHEMA, "faults": [fault.as_json() for fault in self.faults]})


def refusal_of(faults: list[Fault], scanner: ByteScanner) -> Refusal:
    """The refusal for some faults, with the words of a fault withheld where they would tell a secret."""
    whole = Refusal(faults=tuple(faults))
    if not scanner.scan_bytes(whole.document(), ""):
        return whole
    return Refusal(faults=tuple(_safe(fault, scanner) for fault in faults))


def _safe(fault: Fault, scanner: ByteScanner) -> Fault:
    if not scanner.scan_bytes(canonical_bytes(fault.as_json()), ""):
        return fault
    return fault.without_text(WITHHELD)


class RefusalError(GlassbenchError):
    """Publishing was refused (exit status 4); nothing was written to the target.

    `refusal` has every fault; `file` is where the same list was written, None where it could not be.
    """

    code = "PUBLISH-REFUSED-001"

    def __init__(self, refusal: Refusal, file: Path | None) -> None:
        count = len(refusal.faults)
        super().__init__(
            f"publishing is refused: {count} fault{'' if count == 1 else 's'}; nothing was written to the target",
            hint="mend what each fault names and publish again; there is no switch that skips a gate",
        )
        self.refusal = refusal
        self.file = file
