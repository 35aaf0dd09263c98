"""The runs of a snapshot that a person names: by their own ids, or all of a batch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches

from dataset.measures.run_facts import RunFacts
from publisher.projection.report import Report
from publisher.releases.errors import WithdrawalError
from publisher.releases.held import Held


def named_runs(names: Sequence[str], held: Held) -> Iterator[tuple[Report, list[RunFacts]]]:
    """Each report that names are of, with the lines of the runs that are meant, in the order of the report.

    WithdrawalError for a name that is neither a run nor a batch of the snapshot, or both.
    """
    batches = {batch_id: _ids(report) for report in held.reports() for batch_id in (str(report.batch_id),)}
    runs = {run_id: batch_id for batch_id, ids in batches.items() for run_id in ids}
    meant: dict[str, set[str]] = {}
    for name in dict.fromkeys(names):
        _require_known(name, batches, runs)
        batch_id = name if name in batches else runs[name]
        meant.setdefault(batch_id, set()).update(batches.get(name, (name,)))
    for batch_id, ids in sorted(meant.items()):
        report = held.report(batch_id)
        if report is not None:
            yield report, [line for line in report.every_run if line.run_id in ids]


def nearest(name: str, names: Sequence[str], *, instead: str) -> str:
    """A hint that names what may have been meant; `instead` where nothing is near."""
    near = get_close_matches(name, names, n=3, cutoff=0.6)
    return f"did you mean {' or '.join(near)}?" if near else instead


def _ids(report: Report) -> tuple[str, ...]:
    return tuple(str(line.run_id) for line in report.every_run)


def _require_known(name: str, batches: Mapping[str, tuple[str, ...]], runs: Mapping[str, str]) -> None:
    if name in batches and name in runs:
        raise WithdrawalError(
            f"{name} is a batch, and a run of batch {runs[name]} too",
            code="WITHDRAW-NAME-002",
            hint="for the batch, name each of its runs: " + ", ".join(batches[name][:3]) + ", …",
        )
    if name not in batches and name not in runs:
        raise WithdrawalError(
            f"the snapshot has no run or batch {name!r}",
            hint=nearest(name, [*batches, *runs], instead="the page of a run shows its id, and that of its batch"),
        )
