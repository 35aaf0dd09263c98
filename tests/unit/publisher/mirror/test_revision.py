"""A report is revised by withdrawals and reveals; all else of it is what an earlier mirror had."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dataset.measures.run_facts import RunFacts, withdrawn_facts
from dataset.questions.withholding import Withheld
from dataset.record import RunId
from publisher.mirror.given import Given
from publisher.mirror.revision import revision_differences
from publisher.mirror.statement import not_checked
from publisher.projection.report import Report, Reveal, Withdrawal, recompiled
from publisher.projection.withdrawn_report import with_withdrawals
from tests.factories import VARIANTS, make_batch
from tests.factories.logged import OWNER
from tests.factories.released import Change, write_released
from tests.unit.publisher.mirror.mirrors import verified

HIDDEN: tuple[Withheld, ...] = ("result", "steps", "guardrail_checks", "judgment", "output_checks", "gold")
BATCH = make_batch(
    "batch-1",
    case_ids=("fund-nav", "order-history"),
    model_keys=("careful", "careless"),
    variants=VARIANTS[:1],
    withheld=HIDDEN,
    threshold="0.5",
)
BEFORE = BATCH.report
FIRST, FAILED = BEFORE.runs[0].run_id, next(line.run_id for line in BEFORE.runs if line.verdict == "fail")
REASON = "the fixture had the wrong day"
REPORT = "reports/batch-1.json"


def withdrawn(report: Report = BEFORE, run_id: RunId = FIRST) -> Report:
    return with_withdrawals(report, [Withdrawal(run_id=run_id, reason=REASON, release=2)])


def told(before: Report, now: Report) -> list[str]:
    return [difference.place for difference in revision_differences(before, now)]


def with_lines(report: Report, change: Callable[[RunFacts], RunFacts]) -> Report:
    return recompiled(report, runs=[change(line) for line in report.runs], superseded=report.superseded)


def test_a_report_after_an_honest_withdrawal_is_the_earlier_one() -> None:
    assert told(BEFORE, BEFORE) == []
    assert told(BEFORE, withdrawn()) == []
    assert told(withdrawn(), withdrawn(withdrawn(), FAILED)) == []


@pytest.mark.parametrize("parts", [HIDDEN, ("judgment", "output_checks", "gold")])
def test_a_report_after_an_honest_reveal_tells_what_the_earlier_one_told(tmp_path: Path, parts: Any) -> None:
    before = write_released(tmp_path / "before", [BATCH], signers=[OWNER])
    change = Change(withdrawn={FIRST: REASON}, revealed={("batch-1", "order-history"): parts})
    now = write_released(tmp_path / "now", [BATCH], change, signers=[OWNER, OWNER])
    found = verified(now, Given(previous=before))
    assert found.differences == ()
    assert found.earlier is not None
    assert (found.earlier.withdrawn, found.earlier.revealed) == (1, 2)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("verdict", "pass"),
        ("failure_reasons", ()),
        ("latency_ms", 7),
        ("tool_calls", 9),
        ("input_tokens", 1),
        ("working_tokens", None),
    ],
)
def test_a_claim_that_changed_under_cover_of_a_withdrawal_is_named(field: str, value: Any) -> None:
    def forge(line: RunFacts) -> RunFacts:
        return line.model_copy(update={field: value}) if line.run_id == FAILED else line

    assert told(BEFORE, with_lines(withdrawn(), forge))[0].startswith(f"runs/{FAILED}.json#/{field}")


@pytest.mark.parametrize(
    ("reasons", "places"),
    [
        (("answer.number.nav", "tool.must.0"), []),
        (("answer.facts.nav", "tool.must.0"), [f"runs/{FAILED}.json#/failure_reasons/0"]),
        (("answer.number.nav",), [f"runs/{FAILED}.json#/failure_reasons"]),
    ],
)
def test_a_revealed_run_has_reasons_of_the_kinds_that_were_told(reasons: tuple[str, ...], places: list[str]) -> None:
    reveals = tuple(Reveal(case_id=case.id, parts=case.withheld, release=2) for case in BEFORE.definition.cases)

    def reveal(line: RunFacts) -> RunFacts:
        return line.model_copy(update={"failure_reasons": reasons}) if line.run_id == FAILED else line

    assert told(BEFORE, with_lines(later(BEFORE, reveals=reveals), reveal)) == places


def later(report: Report, **changes: Any) -> Report:
    return report.model_copy(update=changes)


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"started_at": "1999-01-01T00:00:00.000Z"}, "/started_at"),
        ({"finished_at": "2099-01-01T00:00:00.000Z"}, "/finished_at"),
        ({"definition": BEFORE.definition.model_copy(update={"judge_version": "other"})}, "/definition/judge_version"),
        ({"variants": VARIANTS[1:2]}, "/variants/0/"),
        ({"catalogue": None}, "/catalogue"),
        ({"synthetic": not BEFORE.synthetic}, "/synthetic"),
    ],
)
def test_what_no_withdrawal_changes_is_held_to_the_earlier_report(changes: dict[str, Any], place: str) -> None:
    gone = BEFORE
    for line in BEFORE.runs:
        gone = withdrawn(gone, line.run_id)
    assert told(BEFORE, gone) == []
    found = told(BEFORE, later(gone, **changes))
    assert found
    assert all(entry.startswith(f"{REPORT}#{place}") for entry in found)


def test_a_gold_that_was_public_stays() -> None:
    shown = make_batch("batch-1", case_ids=("fund-nav",), model_keys=("careful",), variants=VARIANTS[:1]).report
    hidden = later(shown, cases=tuple(case.model_copy(update={"gold": None}) for case in shown.cases))
    assert told(shown, hidden) == [f"{REPORT}#/cases/0/gold"]
    assert told(hidden, shown) == []


def test_withdrawals_and_reveals_stay() -> None:
    assert told(withdrawn(), later(withdrawn(), withdrawals=withdrawn(BEFORE, FAILED).withdrawals))[0] == (
        f"{REPORT}#/withdrawals"
    )


def test_runs_stay_in_their_places() -> None:
    assert told(BEFORE, later(BEFORE, runs=BEFORE.runs[1:])) == [f"{REPORT}#/runs"]


def test_a_passing_run_that_was_tried_again_is_told_by_the_report_that_still_shows_it() -> None:
    again = BEFORE.runs[0].model_copy(update={"run_id": RunId(f"{FIRST}-r2"), "supersedes": FIRST})
    before = later(BEFORE, runs=(again, *BEFORE.runs[1:]), superseded=(BEFORE.runs[0],))
    assert before.superseded[0].verdict == "pass"
    now = later(before, superseded=(withdrawn_facts(BEFORE.runs[0]),), withdrawals=withdrawn().withdrawals)
    assert told(before, now) == [f"{REPORT}#/superseded"]
    assert told(now, now) == []


def statement(now: Path, before: Path | None = None) -> str:
    return "\n".join(not_checked(verified(now, Given(previous=before))))


def test_what_only_an_older_copy_shows_is_said_until_there_is_one(tmp_path: Path) -> None:
    batch = make_batch(
        "batch-1",
        case_ids=("fund-nav", "order-history"),
        model_keys=("careful",),
        variants=VARIANTS[:1],
        withheld=HIDDEN,
        threshold="1",
        earlier=lambda planned: ("invalid",) if planned.position == 1 else (),
    )
    before = write_released(tmp_path / "before", [batch], signers=[OWNER])
    gone = dict.fromkeys((str(line.run_id) for line in batch.report.every_run if line.case_id == "fund-nav"), REASON)
    now = write_released(tmp_path / "now", [batch], Change(withdrawn=gone), signers=[OWNER, OWNER])
    lines = (
        "1 withdrawn run that was tried again: whether it was invalid",
        "1 group with too few valid runs now: whether there were enough",
        "1 batch with withdrawn runs: when the first run started and the last one ended",
        "1 run of a report that was revised: whether what is taken as told",
    )
    assert verified(now, Given(previous=before)).differences == ()
    for line in lines:
        assert line in statement(now)
        assert line in statement(now, now)
        assert line not in statement(now, before)
        assert line not in statement(before)
    assert "without a run that is left" not in statement(now)


def test_the_definition_of_a_batch_without_a_run_that_is_left_is_said_not_to_be_held_to_any(tmp_path: Path) -> None:
    before = write_released(tmp_path / "before", [BATCH], signers=[OWNER])
    gone = Change(withdrawn=dict.fromkeys((line.run_id for line in BEFORE.runs), REASON))
    now = write_released(tmp_path / "now", [BATCH], gone, signers=[OWNER, OWNER])
    line = "1 batch without a run that is left: whether its definition is the one"
    assert line in statement(now)
    assert line not in statement(now, before)
