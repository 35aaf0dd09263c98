"""What commands that make a release print: what the target holds now, or why it was refused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from dataset.console import counted, print_error, print_json, printable

if TYPE_CHECKING:
    from publisher.gates.refusal import RefusalError
    from publisher.releases.outcome import Released


def print_released(done: Released, *, as_json: bool, told: Sequence[str] = (), **facts: Any) -> None:
    """The outcome, and what the act itself has to tell: lines for people, facts for machines."""
    if as_json:
        print_json({**done.as_json(), **facts})
        return
    state = f"release {done.release.number}" if done.changed else "unchanged: it already holds all of this"
    content = f"{counted(done.batches, 'batch', 'batches')}, {runs_text(done.runs, done.withdrawn)}"
    print(f"{done.target}: {state}; {content}, index sha256 {done.digest}")
    for line in (*told, *_signature(done)):
        print(line)
    print(f"→ check it with `glassbench verify {done.target}`")
    print(f"→ render it with `glassbench site build --from {done.target} --to DIRECTORY`")


def runs_text(runs: int, withdrawn: int) -> str:
    """How many runs a snapshot has, and how many of them were withdrawn: `publish` and `verify` say the same."""
    return counted(runs, "run") + (f" ({withdrawn:,} withdrawn)" if withdrawn else "")


def _signature(done: Released) -> list[str]:
    if done.signed_by:
        return [f"signed by {printable(', '.join(done.signed_by))}"]
    return ["not signed, which every page says; `glassbench key new NAME` makes a key to sign with"]


def print_refusal(error: RefusalError, *, as_json: bool) -> None:
    """Every fault, and where the same list stands for machines."""
    if as_json:
        file = str(error.file) if error.file else None
        print_json({"file": file, "refused": [fault.as_json() for fault in error.refusal.faults]})
        return
    for line in error.refusal.lines():
        print(printable(line))
    print_error(error, as_json=False)
    print(f"the same list for machines: {error.file or 'could not be written beside the target'}")
