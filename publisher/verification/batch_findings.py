"""What the check of one batch found, made in this process or in another one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from publisher.projection.report import Report
from publisher.verification.batch import BatchCheck
from publisher.verification.difference import Difference, fault
from publisher.verification.document import read_record
from publisher.verification.files import Files, report_name


@dataclass(frozen=True, kw_only=True, slots=True)
class BatchFindings:
    """The differences of a batch, those that reading its files met (`unread`), and what `BatchCheck` counted."""

    differences: tuple[Difference, ...] = ()
    unread: tuple[Difference, ...] = ()
    runs: int = 0
    assertions: int = 0
    unobserved: int = 0
    withdrawn: int = 0
    withheld: Counter[str] = field(default_factory=Counter)
    claimed: Counter[str] = field(default_factory=Counter)


def batch_findings(
    report: Report, file: str, files: Files, sealed: set[bytes], read_run: Callable[[], None] = lambda: None
) -> BatchFindings:
    """The findings of the batch whose report is in a file.

    `sealed` holds the salted digests of steps in the batches before it, which none of its own may be, and gets its own.
    `read_run` is called at each run that is read.
    """
    before = len(files.differences)

    def read(name: str) -> bytes | None:
        read_run()
        return files.read(name)

    batch = BatchCheck(report, file, read, sealed)
    found: list[Difference] = []
    try:
        found += batch.differences()
    except Exception as error:  # the last net: nothing that a file holds may stop a verification
        found.append(fault(file, f"can't be checked to its end: {type(error).__name__}"))
    return BatchFindings(
        differences=tuple(found),
        unread=tuple(files.differences[before:]),
        runs=batch.runs,
        assertions=batch.assertions,
        unobserved=batch.unobserved,
        withdrawn=batch.withdrawn,
        withheld=batch.withheld,
        claimed=batch.claimed,
    )


def findings_elsewhere(
    directory: Path, whole: bool, identity: tuple[int, int] | None, batch_id: str
) -> tuple[BatchFindings, set[bytes]] | None:
    """The findings of a batch as a worker process makes them, as if it were the first of its snapshot; and the digests
    of its steps. None where another directory has taken the name of the one that is meant."""
    files, file, sealed = _files(directory, whole), report_name(batch_id), set[bytes]()
    if files.identity != identity:
        return None
    data = files.find(file)
    report = read_record(Report, data, file)[0] if data is not None else None
    found = batch_findings(report, file, files, sealed) if report is not None else BatchFindings()
    return found, sealed


@lru_cache(maxsize=1)
def _files(directory: Path, whole: bool) -> Files:
    # one listing for all batches that a worker is given
    return Files(directory, whole=whole)
