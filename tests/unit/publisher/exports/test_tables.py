from __future__ import annotations

import re
from pathlib import Path

import pytest

from dataset.measures.metric import METRICS
from dataset.measures.run_facts import WITHDRAWN
from publisher.exports.csv_form import csv_bytes, csv_cell, csv_name
from publisher.exports.json_form import json_bytes, json_name
from publisher.exports.tables.catalogue import TABLES
from publisher.exports.tables.interface import Kind
from publisher.exports.tables.leaderboard import LEADERBOARD
from publisher.exports.tables.runs import RUNS
from publisher.rendering.visible_text import plain
from tests.factories import make_batch, write_snapshot
from tests.unit.publisher.exports.conftest import REASON
from tests.unit.publisher.exports.exported import csv_rows, json_rows, source_of

TEXTS = {(table.id, column.name) for table in TABLES for column in table.columns if column.kind == "text"}
SIGNS = "=+-@＝＋－＠﹦﹢﹣﹫\u2212"
DANGEROUS = ("\t", "\r", "\n", *SIGNS)
BLANKS = (" ", "   ", "\t", "\n", "\u00a0", "\u2003", "\u202f", "\u205f", "\u3000")


def test_both_forms_have_every_table_with_the_same_columns_and_rows(changed_site: dict[str, bytes]) -> None:
    for table in TABLES:
        plain_rows, typed_rows = csv_rows(changed_site[csv_name(table)]), json_rows(changed_site[json_name(table)])
        names = [column.name for column in table.columns]
        assert len(names) == len(set(names))
        assert len(plain_rows) == len(typed_rows) > 0
        assert list(plain_rows[0]) == list(typed_rows[0]) == names


def test_keys_tell_rows_apart_and_are_never_unknown(
    changed_site: dict[str, bytes], unlogged_site: dict[str, bytes]
) -> None:
    for site in (changed_site, unlogged_site):
        for table in TABLES:
            keys = [tuple(row[name] for name in table.key) for row in json_rows(site[json_name(table)])]
            assert None not in {part for key in keys for part in key}
            assert len(keys) == len(set(keys)), table.id


def test_cells_have_the_type_that_their_column_says(changed_site: dict[str, bytes]) -> None:
    kinds = {"integer": int, "boolean": bool, "list": list}
    for table in TABLES:
        for row in json_rows(changed_site[json_name(table)]):
            for column in table.columns:
                value = row[column.name]
                assert value is None or type(value) is kinds.get(column.kind, str), (table.id, column.name)
                if column.kind == "decimal" and value is not None:
                    assert re.fullmatch(r"-?\d+(\.\d+)?", str(value))


def test_decimals_are_those_of_the_report_to_the_digit(unlogged: Path) -> None:
    source = source_of(unlogged)
    report = source.snapshot.batches[0].report
    rows = {(row["batch_id"], row["model_key"]): row for row in json_rows(json_bytes(LEADERBOARD, source))}
    for key, measures in report.models.items():
        row = rows[report.batch_id, key]
        assert {metric.id: row[metric.id.replace("-", "_")] for metric in METRICS} == {
            metric.id: measures.metrics.get(metric.id) for metric in METRICS
        }
        assert (row["planned"], row["invalid"]) == (measures.planned, measures.invalid)


def test_an_unknown_cost_is_empty_and_never_zero(unlogged: Path) -> None:
    source = source_of(unlogged)
    careless = [row for row in csv_rows(csv_bytes(LEADERBOARD, source)) if row["model_key"] == "careless"]
    assert {(row["cost"], row["cost_currency"]) for row in careless} == {("", "")}
    assert {row["cost"] for row in json_rows(json_bytes(LEADERBOARD, source)) if row["model_key"] == "careless"} == {
        None
    }


def test_csv_has_crlf_a_header_and_no_byte_order_mark(unlogged: Path) -> None:
    data = csv_bytes(RUNS, source_of(unlogged))
    assert data.startswith(b"run_id,")
    assert data.endswith(b"\r\n")
    assert data.count(b"\n") == data.count(b"\r\n")


def test_a_withdrawn_run_stays_with_its_reason_and_without_numbers(changed_site: dict[str, bytes]) -> None:
    rows = {row["run_id"]: row for row in json_rows(changed_site["data/runs.json"])}
    gone, stays = rows["batch-1-0002"], rows["batch-1-0001"]
    assert (gone["verdict"], gone["invalid_reason"]) == ("invalid", WITHDRAWN)
    assert (gone["withdrawn_in"], gone["withdrawal_reason"]) == (4, REASON)
    assert gone["artifact_hash"]
    for name in ("latency_ms", "model_steps", "tool_calls", "refused_calls", "corrections", "cost", "input_tokens"):
        assert gone[name] is None
        assert name == "cost" or stays[name] is not None


def test_a_withdrawn_batch_is_in_no_leaderboard_and_told_elsewhere(changed_site: dict[str, bytes]) -> None:
    assert "batch-3" not in {row["batch_id"] for row in json_rows(changed_site["data/leaderboard.json"])}
    groups = [row for row in json_rows(changed_site["data/groups.json"]) if row["batch_id"] == "batch-3"]
    assert {(row["batch_withdrawn"], row["valid"]) for row in groups} == {(True, 0)}
    assert all(row["planned"] > 0 for row in groups)
    batch = next(row for row in json_rows(changed_site["data/batches.json"]) if row["batch_id"] == "batch-3")
    assert batch["withdrawn"] == batch["runs"]


def test_a_withheld_question_is_told_as_such_and_says_nothing(changed_site: dict[str, bytes]) -> None:
    cases = [row for row in json_rows(changed_site["data/cases.json"]) if row["batch_id"] == "batch-2"]
    assert cases
    for row in cases:
        assert row["question_withheld"]
        assert row["gold_withheld"]
        assert "case" in row["withheld"]
        assert {row[name] for name in ("category", "scene", "login_state", "title_en", "title_zh")} == {None}
    runs = [row for row in json_rows(changed_site["data/runs.json"]) if row["batch_id"] == "batch-2"]
    assert all("case" in row["withheld"] for row in runs)


def test_no_cell_of_text_is_run_by_a_spreadsheet(hostile_exports: dict[str, bytes]) -> None:
    seen = 0
    for table in TABLES:
        for row in csv_rows(hostile_exports[csv_name(table)]):
            for name, cell in row.items():
                if (table.id, name) in TEXTS:
                    assert not cell.startswith(DANGEROUS), (table.id, name, cell)
                    assert not cell.lstrip().startswith(DANGEROUS), (table.id, name, cell)
                    seen += 1
    assert seen > 1_000


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(1)", "\tx", "'quoted", "＝1"])
def test_the_text_comes_back_when_one_apostrophe_is_taken_away(text: str) -> None:
    cell = csv_cell(text, "text")
    assert cell == f"'{text}"
    assert cell[1:] == text


@pytest.mark.parametrize("blank", ["", *BLANKS])
@pytest.mark.parametrize("sign", SIGNS)
def test_a_sign_is_seen_in_every_form_and_behind_every_blank(blank: str, sign: str) -> None:
    assert csv_cell(f"{blank}{sign}1", "text") == f"'{blank}{sign}1"
    assert csv_cell(f"{blank}{sign}1", "id") == f"'{blank}{sign}1"
    assert csv_cell(f"{blank}a{sign}1", "text").lstrip("'") == f"{blank}a{sign}1"


@pytest.mark.parametrize("kind", ["integer", "decimal"])
def test_a_number_keeps_its_sign(kind: Kind) -> None:
    assert csv_cell("-0.0314", kind) == "-0.0314"


def test_json_has_every_hostile_text_exactly_and_csv_as_it_is_seen(
    hostile_exports: dict[str, bytes], hostile: Path
) -> None:
    reports = {batch.report.batch_id: batch.report for batch in source_of(hostile).snapshot.batches}
    exact = {row["batch_id"]: row["model_name"] for row in json_rows(hostile_exports["data/leaderboard.json"])}
    seen = {row["batch_id"]: row["model_name"] for row in csv_rows(hostile_exports["data/leaderboard.csv"])}
    for batch_id, report in reports.items():
        name = report.definition.models[0].display_name
        assert exact[batch_id] == name
        assert seen[batch_id] == plain(name)


def test_two_hundred_models_have_a_row_each(tmp_path: Path) -> None:
    keys = tuple(f"model-{number}" for number in range(200))
    batch = make_batch("batch-1", case_ids=("fund-nav",), model_keys=keys)
    rows = csv_rows(csv_bytes(LEADERBOARD, source_of(write_snapshot(tmp_path, [batch]))))
    assert {row["model_key"] for row in rows} == set(keys)
    assert {int(row["rank_first"]) for row in rows} <= set(range(1, 201))
