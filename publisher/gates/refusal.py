"""A refusal: every reason why nothing was published, for people and for machines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Literal

from dataset.canonical import canonical_bytes
from dataset.console import counted
from dataset.errors import GlassbenchError
from publisher.gates.interface import Fault
from publisher.gates.scan import ByteScanner

Act = Literal["publish", "withdraw", "reveal"]
"""What makes a release."""
REFUSAL_SCHEMA = "glassbench.refusal/1"
MOST_NAMED = 3
"""Runs that a person is named of many that have the same fault; the document has them all."""
_DOING: dict[Act, str] = {"publish": "publishing to", "withdraw": "withdrawing from", "reveal": "revealing in"}
WITHHELD = "its words are withheld: the scanner found something in them"


@dataclass(frozen=True, kw_only=True, slots=True)
class Refusal:
    """Every fault of every batch and run. Holds masked excerpts only."""

    faults: tuple[Fault, ...]

    def document(self) -> bytes:
        """`refusal.json`: canonical bytes."""
        return canonical_bytes({"schema": REFUSAL_SCHEMA, "faults": [fault.as_json() for fault in self.faults]})

    def lines(self) -> Iterator[str]:
        """The faults for a person to read: what is said of many runs one after another is said once."""
        for _, group in groupby(self.faults, key=lambda fault: replace(fault, run_id=None)):
            same = list(group)
            named = [fault.run_id for fault in same if fault.run_id is not None]
            if len(same) <= MOST_NAMED or len(named) < len(same):
                yield from map(str, same)
                continue
            first = ", ".join(named[:MOST_NAMED])
            message = f"{same[0].message}: {len(named)} runs ({first} and {len(named) - MOST_NAMED} more)"
            yield str(replace(same[0], run_id=None, message=message))


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
    """An act was refused (exit status 4); nothing was written to the target.

    `PUBLISH-REFUSED-001`, `WITHDRAW-REFUSED-001` or `REVEAL-REFUSED-001`, by the act.

    `refusal` has every fault; `file` is where the same list was written, None where it could not be.
    """

    code = "PUBLISH-REFUSED-001"

    def __init__(self, refusal: Refusal, file: Path | None, *, act: Act, target: Path) -> None:
        super().__init__(
            f"{_DOING[act]} {target} is refused: {counted(len(refusal.faults), 'fault')}; the target is as it was",
            code=f"{act.upper()}-REFUSED-001",
            hint=f"mend what each fault names and {act} again; there is no switch that skips a gate",
        )
        self.refusal = refusal
        self.file = file
