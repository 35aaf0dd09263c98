"""The top of a run's page gives the first reason of its verdict, whatever is withheld."""

from __future__ import annotations

import pytest

from dataset.artifacts.digest import open_artifact
from dataset.artifacts.disclosure import open_disclosed, withhold
from dataset.measures.run_facts import facts_of
from dataset.questions.withholding import WITHHELD, closed
from publisher.rendering.runs.assertions import assertion_layers
from publisher.rendering.runs.summary import Summary, summary_of
from tests.factories import Scenario, make_batch


def summary(scenario: Scenario, withheld: tuple[str, ...] = ()) -> Summary:
    batch = make_batch("batch-1", model_keys=("careful",), scenario=lambda _: scenario)
    data = next(iter(batch.artifacts.values()))
    disclosed = open_disclosed(withhold(data, withheld))
    checks = disclosed.artifact.output_checks if disclosed.shows("output_checks") else ()
    return summary_of(disclosed, facts_of(open_artifact(data)), assertion_layers(checks))


def test_a_run_that_passed_has_no_reason_and_counts_what_holds() -> None:
    found = summary("pass")
    assert found.reasons == ()
    assert found.asserted > 0
    assert found.answer


def test_a_failed_run_leads_to_its_failed_assertion_with_the_meaning_of_its_kind() -> None:
    first = summary("fail").reasons[0]
    assert first.assertion is not None
    assert first.id.startswith(f"{first.code}.")
    assert first.meaning
    assert first.said


def test_a_reply_that_was_cut_off_says_so_first() -> None:
    found = summary("truncated")
    assert found.truncated
    assert found.reasons[0].code == "output_truncated"
    assert found.answer == ""


def test_an_invalid_run_has_its_one_reason() -> None:
    (reason,) = summary("invalid").reasons
    assert reason.assertion is None
    assert reason.meaning


@pytest.mark.parametrize("part", WITHHELD)
@pytest.mark.parametrize("scenario", ["pass", "fail", "invalid", "truncated"])
def test_whatever_is_withheld_a_run_that_did_not_pass_has_a_reason(scenario: Scenario, part: str) -> None:
    parts = tuple(name for name in closed((part,)) if name != "gold")  # type: ignore[arg-type]
    found = summary(scenario, parts)
    assert bool(found.reasons) is (scenario != "pass")
    assert (found.asked is None) is ("case" in parts)
    assert (found.answer is None) is ("result" in parts)
