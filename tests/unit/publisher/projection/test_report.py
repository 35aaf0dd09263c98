from __future__ import annotations

from dataset.artifacts.digest import open_artifact
from dataset.canonical import canonical_bytes, read_canonical
from dataset.measures.run_facts import facts_of
from publisher.projection.report import Report, compile_report
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
