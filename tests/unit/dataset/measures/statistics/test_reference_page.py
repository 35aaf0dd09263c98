"""The reference page: its worked example is computed, its codes are the codes."""

from __future__ import annotations

import re
from functools import reduce
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from dataset.measures.statistics.bootstrap import bootstrap_seed
from dataset.measures.statistics.cluster import clusters_of
from dataset.measures.statistics.contrast import ContrastStatistics, measure_contrasts
from dataset.measures.statistics.evidence import REASONS
from dataset.measures.statistics.rate import RateStatistics, measure_rate
from dataset.measures.statistics.repeats import measure_repeats
from tests.unit.dataset.measures.statistics.outcome_grid import CONTRAST, runs_of

PAGE = Path(__file__).parents[5].joinpath("docs/reference/statistics.md").read_text("utf-8")
SEED = bootstrap_seed("0" * 64)


def table(first: str) -> list[list[str]]:
    """The rows of the table whose first column has that name."""
    rows = PAGE.split(f"\n| {first} |", 1)[1].split("\n\n", 1)[0].splitlines()[2:]
    return [[cell.strip().strip("`") for cell in row.strip("|").split(" | ")] for row in rows]


BASELINE, TREATMENT = ([row[column] for row in table("case")] for column in (1, 2))


def rate_of(rows: list[str]) -> RateStatistics:
    valid = [run for run in runs_of(rows) if run.verdict != "invalid"]
    by_case = clusters_of((run.case_id, run.verdict == "pass") for run in valid)
    repeats = measure_repeats(list(by_case.values()), planned=len(rows), repeats=2)
    return measure_rate(by_case, planned=2 * len(rows), planned_cases=len(rows), repeats=repeats, seed=SEED)


def said(body: Any, path: str) -> str:
    """The value at a path, or why it is withheld."""
    *outer, name = path.split(".")
    parent: Any = reduce(lambda found, key: found[int(key) if key.isdigit() else key], outer, body)
    reasons = parent["withheld"]
    value = parent[name]
    return str(value) if value is not None else reasons if isinstance(reasons, str) else reasons[name]


@pytest.mark.parametrize(("rows", "column"), [(BASELINE, 1), (TREATMENT, 2)])
def test_the_arms_of_the_worked_example_are_computed(rows: list[str], column: int) -> None:
    body = rate_of(rows).body()
    expected = {row[0]: row[column] for row in table("of the arms")}
    assert len(expected) == 13
    assert {path: said(body, path) for path in expected} == expected


def test_the_contrast_of_the_worked_example_is_computed() -> None:
    runs = [
        *runs_of(BASELINE, variant=str(CONTRAST.baseline)),
        *runs_of(TREATMENT, variant=str(CONTRAST.treatment)),
    ]
    (found,) = measure_contrasts([CONTRAST], runs_by_model=[("m", runs)], seed=SEED)
    expected = dict(table("of the contrast"))
    assert len(expected) == 13
    assert {path: said(found.body(), path) for path in expected} == expected


def test_as_many_ways_to_swap_are_as_far_from_zero_as_the_page_says() -> None:
    differences = [int(d.replace("−", "-")) for d in re.findall(r"differences are ([^a]*), and", PAGE)[0].split(", ")]
    found = [sum(s * d for s, d in zip(signs, differences, strict=True)) for signs in product((1, -1), repeat=12)]
    # Three cases without a difference are swapped to no effect: each way counts eight times.
    assert sum(abs(way) >= sum(differences) for way in found) / len(found) == 18 / 512


def test_the_codes_of_the_page_are_those_that_there_are() -> None:
    assert {row[0]: row[1] for row in table("code")} == REASONS


def test_every_field_that_can_be_withheld_is_explained() -> None:
    explained = set(re.findall(r"`(\w+)`", PAGE))
    counts = {"planned", "valid", "passed", "pairs", "cases", "id", "model_key", "withheld"}
    assert (RateStatistics.model_fields.keys() | ContrastStatistics.model_fields.keys()) - counts <= explained
