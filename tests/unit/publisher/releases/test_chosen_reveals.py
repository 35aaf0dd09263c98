from __future__ import annotations

from itertools import combinations

import pytest

from dataset.questions.withholding import WITHHELD, Withheld, closed
from publisher.projection.report import Report
from publisher.releases.chosen_reveals import chosen_reveals
from publisher.releases.errors import RevealError
from tests.factories import make_batch


def report_of(*withheld: Withheld) -> Report:
    return make_batch(case_ids=("fund-nav",), model_keys=("careful",), withheld=withheld).report


EVERYTHING = report_of(*WITHHELD)


@pytest.mark.parametrize("size", range(1, len(WITHHELD) + 1))
def test_what_is_revealed_never_gives_away_what_stays_withheld(size: int) -> None:
    allowed = 0
    for parts in combinations(WITHHELD, size):
        staying = tuple(part for part in WITHHELD if part not in parts)
        try:
            (made,) = chosen_reveals(EVERYTHING, cases=(), parts=parts, release=2)
        except RevealError as error:
            assert closed(staying) != staying
            named = tuple(word for word in error.hint.split() if word in WITHHELD)
            (made,) = chosen_reveals(EVERYTHING, cases=(), parts=named, release=2)
            assert set(made.parts) == set(named) > set(parts)
        else:
            allowed += 1
            assert closed(staying) == staying
            assert made.parts == parts
    assert allowed


def test_without_parts_all_that_is_withheld_of_every_case_is_chosen() -> None:
    report = make_batch(model_keys=("careful",), withheld=("gold",)).report
    made = chosen_reveals(report, cases=(), parts=(), release=7)
    assert [str(reveal.case_id) for reveal in made] == [str(case.id) for case in report.definition.cases]
    assert {reveal.parts for reveal in made} == {("judgment", "output_checks", "gold")}
    assert {reveal.release for reveal in made} == {7}


def test_a_part_that_is_not_withheld_is_passed_over() -> None:
    report = report_of("judgment")
    (made,) = chosen_reveals(report, cases=(), parts=("judgment", "steps"), release=2)
    assert made.parts == ("judgment",)
    assert chosen_reveals(report, cases=("fund-nav",), parts=("steps",), release=2) == ()


def test_all_that_must_be_revealed_together_is_told_at_once_and_what_stays_withheld() -> None:
    with pytest.raises(RevealError) as caught:
        chosen_reveals(EVERYTHING, cases=(), parts=("judgment",), release=2)
    assert caught.value.hint == "reveal them together: --part case --part judgment --part output_checks --part gold"
    assert "would give away case, output_checks, gold, which stays withheld" in caught.value.message
    assert caught.value.message.endswith(
        "revealed together, context, visible_tools, steps, guardrail_checks, result would stay withheld"
    )


def test_what_one_case_asks_for_is_told_with_what_that_asks_for_in_another() -> None:
    batch = make_batch(case_ids=("fund-nav", "order-history"), model_keys=("careful",), withheld=("gold",))
    first, second = batch.report.definition.cases
    hidden: tuple[Withheld, ...] = ("case",)
    cases = (first, second.model_copy(update={"withheld": closed(hidden)}))
    definition = batch.report.definition.model_copy(update={"cases": cases})
    report = batch.report.model_copy(update={"definition": definition})
    with pytest.raises(RevealError) as caught:
        chosen_reveals(report, cases=(), parts=("judgment",), release=2)
    named = tuple(word for word in caught.value.hint.split() if word in WITHHELD)
    made = chosen_reveals(report, cases=(), parts=named, release=2)
    assert [reveal.parts for reveal in made] == [report.withheld(first.id), named]
