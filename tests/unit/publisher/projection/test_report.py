from __future__ import annotations

from dataset.artifacts.digest import open_artifact
from dataset.canonical import canonical_bytes, read_canonical
from dataset.measures.run_facts import facts_of, withdrawn_facts
from publisher.projection.report import Report, Reveal, Withdrawal, compile_report, withheld_by_case
from publisher.projection.withdrawn_report import with_withdrawals
from tests.factories import FINISHED, STARTED, make_batch

BATCH = make_batch()
REPORT = BATCH.report


def test_a_report_reads_back_from_its_canonical_bytes() -> None:
    data = canonical_bytes(REPORT.body())
    assert Report.model_validate_json(data, strict=True) == REPORT
    assert canonical_bytes(read_canonical(data)) == data


def test_a_report_has_one_group_for_each_model_and_variant_and_one_line_for_each_run() -> None:
    assert [(g.model_key, g.variant_id) for g in REPORT.groups] == [
        ("careful", "scoped-en"),
        ("careful", "scoped-zh"),
        ("careless", "scoped-en"),
        ("careless", "scoped-zh"),
    ]
    assert [line.run_id for line in REPORT.runs] == list(BATCH.artifacts)


def test_denominators_come_from_the_definition_not_from_what_was_recorded() -> None:
    facts = [facts_of(open_artifact(data)) for data in list(BATCH.artifacts.values())[:1]]
    short = compile_report(
        batch_id=BATCH.batch_id,
        definition=BATCH.definition,
        cases=[case.public for case in BATCH.cases],
        variants=BATCH.variants,
        runs=facts,
        started_at=STARTED,
        finished_at=FINISHED,
    )
    assert {group.measures.planned for group in short.groups} == {3}
    assert {measures.planned for measures in short.models.values()} == {6}
    assert sum(group.measures.recorded for group in short.groups) == 1


def test_an_unknown_price_gives_an_unknown_cost_never_zero() -> None:
    assert {group.measures.metrics["cost"] for group in REPORT.groups if group.model_key == "careless"} == {None}


def test_a_synthetic_model_marks_the_whole_report() -> None:
    assert not REPORT.synthetic
    assert make_batch(synthetic=True).report.synthetic


REASON = "The fixture had the wrong day."


def test_withdrawing_makes_every_number_of_a_report_again_and_nothing_else() -> None:
    run_id = REPORT.runs[0].run_id
    after = with_withdrawals(REPORT, [Withdrawal(run_id=run_id, reason=REASON, release=2)])
    assert after.runs[0] == withdrawn_facts(REPORT.runs[0])
    assert after.runs[1:] == REPORT.runs[1:]
    for part in ("definition", "cases", "variants", "catalogue", "started_at", "finished_at", "superseded"):
        assert getattr(after, part) == getattr(REPORT, part)
    assert sum(group.measures.valid for group in after.groups) == sum(g.measures.valid for g in REPORT.groups) - 1
    assert sum(group.measures.planned for group in after.groups) == sum(g.measures.planned for g in REPORT.groups)
    assert after.statistics != REPORT.statistics


def test_withdrawing_one_by_one_gives_what_withdrawing_at_once_does() -> None:
    first, second = (Withdrawal(run_id=line.run_id, reason=REASON, release=2) for line in REPORT.runs[:2])
    one_by_one = with_withdrawals(with_withdrawals(REPORT, [second]), [first])
    assert one_by_one.canonical == with_withdrawals(REPORT, [first, second]).canonical


def test_a_report_from_before_there_were_statistics_gets_none_by_a_withdrawal() -> None:
    old = REPORT.model_copy(update={"statistics": None, "catalogue": None})
    after = with_withdrawals(old, [Withdrawal(run_id=old.runs[0].run_id, reason=REASON, release=2)])
    assert (after.statistics, after.catalogue) == (None, None)


def test_what_is_withheld_of_a_case_is_what_the_definition_says_without_what_was_revealed() -> None:
    report = make_batch(withheld=("gold",)).report
    case_id = report.definition.cases[0].id
    assert report.withheld(case_id) == ("judgment", "output_checks", "gold")
    assert report.withheld("no-such-case") == ()
    made = Reveal(case_id=case_id, parts=("judgment",), release=2)
    assert report.model_copy(update={"reveals": (made,)}).withheld(case_id) == ("output_checks", "gold")
    assert withheld_by_case(report.definition, [made])[report.definition.cases[1].id] == (
        "judgment",
        "output_checks",
        "gold",
    )
