"""Runs that were withdrawn: their line, what stands in the place of their file, and what they leave of the numbers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import cache
from typing import Any

import pytest

from dataset.artifacts.definition import PlannedRun
from dataset.artifacts.withdrawn import Withdrawn
from dataset.canonical import canonical_bytes
from dataset.measures.run_facts import RunFacts, withdrawn_facts
from dataset.questions.withholding import Withheld
from dataset.record import RunId
from publisher.projection.report import Report, Withdrawal, recompiled
from publisher.verification.batch import BatchCheck
from publisher.verification.files import run_name
from tests.factories import STARTED, SampleBatch, Scenario, make_batch

REPORT = "reports/batch-1.json"
FIRST = RunId("batch-1-0001")
PLACE = f"runs/{FIRST}.json"
REASON = "the provider asked for it"
Lines = Callable[[RunFacts], RunFacts]


@cache
def batch_of(parts: tuple[Withheld, ...] = (), threshold: str = "0.5") -> SampleBatch:
    return make_batch(withheld=parts, threshold=threshold)


def withdrawals_of(run_ids: Collection[str]) -> list[Withdrawal]:
    return [Withdrawal(run_id=RunId(run_id), reason=REASON, release=2) for run_id in run_ids]


def withdrawn(report: Report, run_ids: Collection[str], change: Lines = lambda line: line, **more: Any) -> Report:
    """The report after a withdrawal; `change` is a forger's, of lines, before all numbers are made."""

    def told(line: RunFacts) -> RunFacts:
        return change(withdrawn_facts(line) if line.run_id in run_ids else line)

    changed = report.model_copy(update={"withdrawals": tuple(withdrawals_of(run_ids)), **more})
    return recompiled(
        changed, runs=[told(line) for line in report.runs], superseded=[told(line) for line in report.superseded]
    )


def tombstone(report: Report, of: str = FIRST, **changes: Any) -> bytes:
    line = next(line for line in report.every_run if line.run_id == of)
    fields: dict[str, Any] = {
        "run_id": line.run_id,
        "batch_id": report.batch_id,
        "artifact_hash": line.artifact_hash,
        "reason": REASON,
        "release": 2,
    }
    return canonical_bytes(Withdrawn(**(fields | changes)).body())


def checked(batch: SampleBatch, report: Report, files: Mapping[RunId, bytes]) -> tuple[BatchCheck, list[str]]:
    found = {run_name(run_id): data for run_id, data in {**batch.published, **files}.items()}
    check = BatchCheck(report, REPORT, found.get, set())
    return check, [str(difference) for difference in check.differences()]


@pytest.mark.parametrize("parts", [(), ("gold",), ("case",), ("steps",)])
def test_an_honest_withdrawal_holds_and_is_counted(parts: tuple[Withheld, ...]) -> None:
    batch = batch_of(parts)
    report = withdrawn(batch.report, [FIRST])
    check, found = checked(batch, report, {FIRST: tombstone(report)})
    assert found == []
    assert (check.runs, check.withdrawn) == (11, 1)
    measures = report.models["careful"]
    assert (measures.planned, measures.recorded, measures.valid, measures.invalid) == (6, 6, 4, 2)


def test_a_batch_that_was_withdrawn_whole_holds_at_any_threshold() -> None:
    batch = batch_of(threshold="1")
    run_ids = list(batch.artifacts)
    report = withdrawn(batch.report, run_ids)
    check, found = checked(batch, report, {run_id: tombstone(report, run_id) for run_id in run_ids})
    assert (found, check.runs, check.withdrawn) == ([], 0, 12)


def test_a_group_is_not_excused_for_runs_that_broke() -> None:
    batch = batch_of(threshold="1")
    report = withdrawn(batch.report, [FIRST])
    _, found = checked(batch, report, {FIRST: tombstone(report)})
    assert found == [f"{REPORT}#/groups/1: fewer valid runs than the template wants of what is published"]


def test_a_superseded_run_can_be_withdrawn() -> None:
    def earlier(planned: PlannedRun) -> tuple[Scenario, ...]:
        return ("invalid",) if planned.position == 1 else ()

    batch = make_batch(earlier=earlier)
    report = withdrawn(batch.report, [FIRST])
    check, found = checked(batch, report, {FIRST: tombstone(report)})
    assert (found, check.runs, check.withdrawn) == ([], 12, 1)


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"run_id": "batch-1-0002"}, f"{PLACE}#/run_id"),
        ({"batch_id": "batch-2"}, f"{PLACE}#/batch_id"),
        ({"artifact_hash": "0" * 64}, f"{PLACE}#/artifact_hash"),
        ({"reason": "another reason"}, f"{PLACE}#/reason"),
        ({"release": 3}, f"{PLACE}#/release"),
    ],
)
def test_a_tombstone_says_what_its_report_says(changes: dict[str, Any], place: str) -> None:
    report = withdrawn(batch_of().report, [FIRST])
    _, found = checked(batch_of(), report, {FIRST: tombstone(report, **changes)})
    assert [entry.split(": ")[0] for entry in found] == [place]


def test_a_withdrawal_whose_file_is_still_there_is_found() -> None:
    report = withdrawn(batch_of().report, [FIRST])
    assert checked(batch_of(), report, {})[1] == [f"{PLACE}: is shown, though its report withdraws it"]


def test_a_tombstone_that_no_report_tells_of_is_found() -> None:
    report = batch_of().report
    _, found = checked(batch_of(), report, {FIRST: tombstone(report)})
    assert found[0] == f"{PLACE}: is withdrawn, which its report doesn't say"


def test_a_file_that_is_neither_is_found() -> None:
    report = withdrawn(batch_of().report, [FIRST])
    _, found = checked(batch_of(), report, {FIRST: b'{"run_id":"batch-1-0001"}'})
    assert found
    assert all(entry.startswith(PLACE) for entry in found)


def test_a_withdrawal_of_a_run_of_another_batch_is_found() -> None:
    report = withdrawn(batch_of().report, ["batch-2-0001"])
    _, found = checked(batch_of(), report, {})
    assert found == [f"{REPORT}#/withdrawals/0: run batch-2-0001 is none of this batch, or told twice"]


def test_a_run_is_withdrawn_once() -> None:
    report = withdrawn(batch_of().report, [FIRST], withdrawals=withdrawals_of([FIRST, FIRST]))
    _, found = checked(batch_of(), report, {FIRST: tombstone(report)})
    assert found == [f"{REPORT}#/withdrawals/1: run {FIRST} is none of this batch, or told twice"]


def test_withdrawals_stand_by_run_id() -> None:
    body = withdrawn(batch_of().report, [FIRST, "batch-1-0002"]).body()
    body["withdrawals"].reverse()
    report = Report.model_validate(body)
    files = {RunId(run_id): tombstone(report, run_id) for run_id in (FIRST, "batch-1-0002")}
    _, found = checked(batch_of(), report, files)
    assert {entry.split("/0")[0].split("/1")[0] for entry in found} == {f"{REPORT}#/withdrawals"}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("verdict", "pass"),
        ("invalid_reason", "provider_5xx"),
        ("latency_ms", 5),
        ("model_key", "other"),
        ("case_id", "advice-wish"),
        ("repeat", 2),
        ("supersedes", "batch-1-0002"),
    ],
)
def test_the_line_of_a_withdrawn_run_says_nothing_but_where_it_stood(field: str, value: Any) -> None:
    def forge(line: RunFacts) -> RunFacts:
        return line.model_copy(update={field: value}) if line.run_id == FIRST else line

    report = withdrawn(batch_of().report, [FIRST], forge)
    _, found = checked(batch_of(), report, {FIRST: tombstone(report)})
    assert any(entry.startswith(f"{PLACE}#/{field}: is not how a withdrawn run is told") for entry in found)


@pytest.mark.parametrize("parts", [(), ("gold",), ("case", "steps")])
def test_a_run_can_not_be_told_as_withdrawn_without_a_withdrawal(parts: tuple[Withheld, ...]) -> None:
    batch = batch_of(parts)
    report = withdrawn(batch.report, [FIRST], withdrawals=())
    _, found = checked(batch, report, {})
    assert any(entry.startswith(f"{PLACE}#/invalid_reason") for entry in found)


def test_numbers_that_still_count_a_withdrawn_run_are_found() -> None:
    body = withdrawn(batch_of().report, [FIRST]).body()
    body["models"]["careful"] = batch_of().report.body()["models"]["careful"]
    report = Report.model_validate(body)
    _, found = checked(batch_of(), report, {FIRST: tombstone(report)})
    assert any(entry.startswith(f"{REPORT}#/models/careful/valid") for entry in found)


def test_times_of_what_was_withdrawn_are_taken_as_told_and_no_later_than_what_is_left() -> None:
    batch, earlier, later = batch_of(), "2026-01-01T00:00:00.000Z", "2026-01-03T00:00:00.000Z"
    kept = withdrawn(batch.report, [FIRST], started_at=earlier)
    assert checked(batch, kept, {FIRST: tombstone(kept)})[1] == []
    late = withdrawn(batch.report, [FIRST], started_at=later, finished_at=later)
    assert [entry.split(":")[0] for entry in checked(batch, late, {FIRST: tombstone(late)})[1]] == [
        f"{REPORT}#/started_at"
    ]
    moved = withdrawn(batch.report, [], started_at=earlier)
    assert [entry.split(" ")[0] for entry in checked(batch, moved, {})[1]] == [f"{REPORT}#/started_at:"]
    assert batch.report.started_at == STARTED
