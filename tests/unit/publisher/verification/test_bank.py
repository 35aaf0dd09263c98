"""What a report publishes of the bank: the entries that its definition froze, and none that it withholds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from dataset.questions.withholding import WITHHELD, Withheld
from publisher.projection.report import Report
from publisher.verification.bank import bank_differences
from tests.factories import SampleBatch, make_batch

REPORT = "reports/batch-1.json"
PLAIN = make_batch()
BATCHES: dict[str, SampleBatch] = {part: make_batch(withheld=(part,)) for part in WITHHELD}


def told(batch: SampleBatch, change: Callable[[Any], object] = lambda body: None) -> list[str]:
    body = batch.report.body()
    change(body)
    return [str(difference) for difference in bank_differences(Report.model_validate(body), REPORT)]


def refrozen(batch: SampleBatch, withheld: list[str]) -> list[str]:
    """What is found where the definition withholds other parts of the first case, with its hash made anew."""

    def change(body: Any) -> None:
        body["definition"]["cases"][0]["withheld"] = withheld
        body["definition_hash"] = Report.model_validate(body).definition.digest()

    return told(batch, change)


@pytest.mark.parametrize("part", WITHHELD)
def test_an_honest_report_shows_nothing_that_is_withheld(part: Withheld) -> None:
    batch = BATCHES[part]
    assert told(batch) == []
    shown = {name for name, entry in batch.report.cases[0].body().items() if entry is not None}
    hidden = {"case": {"question", "gold"}, "context": {"question"}, "gold": {"gold"}, "output_checks": {"gold"}}
    assert shown == {"question", "gold"} - hidden.get(part, set())


@pytest.mark.parametrize(("part", "entry"), [("gold", "gold"), ("case", "question"), ("context", "question")])
def test_an_entry_that_is_withheld_may_not_be_shown(part: Withheld, entry: str) -> None:
    found = told(BATCHES[part], lambda body: body["cases"][1].update({entry: PLAIN.report.body()["cases"][1][entry]}))
    assert f"{REPORT}#/cases/1/{entry}: is shown, though withheld" in found


@pytest.mark.parametrize("entry", ["question", "gold"])
def test_an_entry_that_is_not_withheld_may_not_be_missing(entry: str) -> None:
    found = told(PLAIN, lambda body: body["cases"][0].update({entry: None}))
    assert found == [f"{REPORT}#/cases/0/{entry}: is withheld, which its definition doesn't say"]


def test_a_definition_withholds_with_a_part_what_would_give_it_away() -> None:
    message = f"{REPORT}#/definition/cases/0/withheld: leaves public what would give a withheld part away"
    assert message in refrozen(BATCHES["gold"], ["gold"])
    assert message not in refrozen(BATCHES["gold"], ["judgment", "output_checks", "gold"])


def test_parts_that_the_hash_of_the_definition_does_not_cover_are_found() -> None:
    found = told(PLAIN, lambda body: body["definition"]["cases"][0].update(withheld=["visible_tools"]))
    assert any(entry.startswith(f"{REPORT}#/definition_hash") for entry in found)


def test_a_shown_gold_is_the_one_that_was_frozen_where_the_question_is_withheld() -> None:
    found = told(BATCHES["context"], lambda body: body["cases"][0]["gold"].update(salt="00" * 16))
    assert [entry.split(": ")[0] for entry in found] == [f"{REPORT}#/cases/0/gold_hash"]


def test_a_report_that_withholds_publishes_catalogue_and_statistics() -> None:
    def strip(body: Any) -> None:
        del body["catalogue"], body["statistics"]

    assert told(BATCHES["gold"], strip) == [f"{REPORT}#/statistics: is missing", f"{REPORT}#/catalogue: is missing"]
    assert told(PLAIN, strip) == []


@pytest.mark.parametrize(("release", "told_of"), [(2, True), (3, True), (4, False)])
def test_only_a_case_that_has_a_run_left_can_be_revealed(release: int, told_of: bool) -> None:
    batch = BATCHES["gold"]
    case = batch.definition.cases[0]

    def change(body: Any) -> None:
        runs = [line["run_id"] for line in body["runs"] if line["case_id"] == case.id]
        reason = "the fixture had the wrong day"
        body["withdrawals"] = [{"run_id": run, "reason": reason, "release": release} for run in sorted(runs)]
        body["reveals"] = [{"case_id": case.id, "parts": list(case.withheld), "release": 3}]
        body["cases"][0]["gold"] = batch.cases[0].gold.body()

    message = f"{REPORT}#/reveals/0: every run of case {case.id} had been withdrawn: there was nothing to reveal"
    assert told(batch, change) == ([message] if told_of else [])
