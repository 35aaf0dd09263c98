"""Runs that were withdrawn: what the report says of them, and what stands in the place of their files."""

from __future__ import annotations

from collections.abc import Iterator

from dataset.artifacts.definition import PlannedRun
from dataset.artifacts.digest import ArtifactError
from dataset.artifacts.disclosure import open_disclosed
from dataset.artifacts.revision import superseded_id
from dataset.artifacts.withdrawn import Withdrawn
from dataset.measures.run_facts import RunFacts, withdrawn_facts
from publisher.projection.report import Report, Withdrawal
from publisher.projection.run_file import tombstone
from publisher.verification.difference import Difference, compare, fault
from publisher.verification.document import read_record


def withdrawal_differences(report: Report) -> Iterator[Difference]:
    """Every withdrawal that isn't of a run of this report, or is told twice."""
    known = {line.run_id for line in report.every_run}
    for position, withdrawal in enumerate(report.withdrawals):
        if withdrawal.run_id not in known:
            yield fault(f"/withdrawals/{position}", f"run {withdrawal.run_id} is none of this batch, or told twice")
        known.discard(withdrawal.run_id)


def withdrawn_line(line: RunFacts, planned: PlannedRun) -> RunFacts:
    """The line of a run that was withdrawn, of which only its place in the batch and its hash are left."""
    place = {
        "case_id": planned.case_id,
        "variant_id": planned.variant_id,
        "repeat": planned.repeat,
        "model_key": planned.model_key,
        "supersedes": superseded_id(line.run_id),
    }
    return withdrawn_facts(line.model_copy(update=place))


def is_withdrawn(data: bytes) -> bool:
    """Whether a file stands in the place of a run that was withdrawn."""
    return read_record(Withdrawn, data, "")[0] is not None


def _is_artifact(data: bytes) -> bool:
    try:
        open_disclosed(data)
    except ArtifactError:
        return False
    return True


def tombstone_differences(
    data: bytes, file: str, line: RunFacts, told: Withdrawal, report: Report
) -> Iterator[Difference]:
    """Every field in which the file of a withdrawn run isn't what its report says."""
    found, faults = read_record(Withdrawn, data, file)
    if found is None:
        yield from [fault(file, "is shown, though its report withdraws it")] if _is_artifact(data) else faults
        return
    wanted = tombstone(report.batch_id, line, told).body()
    for difference in compare("the report says otherwise", wanted, found.body()):
        yield difference.within(file)
