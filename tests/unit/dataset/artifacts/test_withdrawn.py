"""What stands in the place of a withdrawn run, and what its line in the report still says."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from pydantic import ValidationError

from dataset.artifacts.digest import open_artifact
from dataset.artifacts.withdrawn import Withdrawn
from dataset.canonical import canonical_bytes
from dataset.measures.run_facts import WITHDRAWN, RunFacts, facts_of, reason_kind, told, withdrawn_facts
from dataset.questions.withholding import WITHHELD, Withheld
from tests.factories import make_batch

BATCH = make_batch(case_ids=("fund-nav",), model_keys=("careful", "careless"))
LINES = [facts_of(open_artifact(data)) for data in BATCH.artifacts.values()]
FIELDS: dict[str, Any] = {
    "run_id": "batch-1-0001",
    "batch_id": "batch-1",
    "artifact_hash": "a" * 64,
    "reason": "the model was another one",
    "release": 2,
}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("run_id", "../batch-1"),
        ("run_id", "Batch"),
        ("batch_id", ""),
        ("artifact_hash", "A" * 64),
        ("reason", "short"),
        ("reason", " " * 20),
        ("reason", "x" * 1001),
        ("release", 0),
        ("schema", "glassbench.run/1"),
        ("note", "x"),
    ],
)
def test_a_tombstone_that_says_something_else_is_refused(field: str, value: object) -> None:
    with pytest.raises(ValidationError):
        Withdrawn.model_validate(FIELDS | {field: value})


def test_a_tombstone_holds_hash_and_reason_and_nothing_that_was_recorded() -> None:
    tombstone = Withdrawn.model_validate(FIELDS)
    assert tombstone.body() == FIELDS | {"schema": "glassbench.withdrawn/1"}
    assert Withdrawn.model_validate_json(tombstone.canonical, strict=True) == tombstone


@given(st.text(st.characters(codec="utf-8"), min_size=8, max_size=1000))
def test_a_reason_in_any_words_comes_back_as_it_was_said(words: str) -> None:
    assume(len(words.strip()) >= 8)
    tombstone = Withdrawn.model_validate(FIELDS | {"reason": words})
    again = Withdrawn.model_validate_json(canonical_bytes(tombstone.body()), strict=True)
    assert again.reason == tombstone.reason
    assert again.canonical == tombstone.canonical


@pytest.mark.parametrize("line", LINES, ids=lambda line: str(line.run_id))
def test_a_withdrawn_run_keeps_its_place_and_hash_and_counts_for_nothing(line: RunFacts) -> None:
    gone = withdrawn_facts(line)
    kept = ("run_id", "artifact_hash", "model_key", "case_id", "variant_id", "repeat", "supersedes")
    assert all(getattr(gone, name) == getattr(line, name) for name in kept)
    assert (gone.verdict, gone.invalid_reason, gone.failure_reasons) == ("invalid", WITHDRAWN, ())
    assert (gone.input_tokens, gone.output_tokens, gone.cost) == (None, None, None)
    assert not any((gone.corrections, gone.model_steps, gone.tool_calls, gone.refused_calls, gone.latency_ms))
    assert withdrawn_facts(gone) == gone


PARTS = st.sets(st.sampled_from(WITHHELD))
REASONS = st.lists(st.from_regex(r"(tool|answer)\.(number|fact)(\.[a-z]{1,6}){0,2}", fullmatch=True), max_size=5)


@given(PARTS, REASONS)
def test_a_line_tells_its_reasons_by_kind_where_the_judgment_is_withheld(
    parts: set[Withheld], reasons: list[str]
) -> None:
    line = LINES[0].model_copy(update={"failure_reasons": tuple(reasons)})
    found = told(line, parts)
    if "judgment" not in parts:
        assert found == line
        return
    assert found == line.model_copy(update={"failure_reasons": found.failure_reasons})
    assert list(found.failure_reasons) == sorted({reason_kind(reason) for reason in reasons})
    assert all(reason.count(".") <= 1 for reason in found.failure_reasons)
    assert told(found, parts) == found


def test_a_superseded_run_that_is_withdrawn_still_names_what_it_supersedes() -> None:
    line = LINES[0].model_copy(update={"supersedes": "batch-1-0009"})
    assert withdrawn_facts(line).supersedes == "batch-1-0009"
