"""A verdict is derived from what was recorded, in one place."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from dataset.artifacts.artifact import OutputCheck, RunError, RunStatus
from dataset.measures.verdict import INVALID_STATUSES, Relation, derive_judgment, stands
from tests.factories.judged import result

MODEL_STATUSES = tuple(status for status in get_args(RunStatus) if status not in INVALID_STATUSES)


def check(name: str, *, passed: bool, layer: Any = "answer") -> OutputCheck:
    return OutputCheck(
        id=name, layer=layer, subject="{}", relation="equals", expected="1", observed="1", passed=passed, reason=""
    )


@pytest.mark.parametrize(
    ("relation", "expected", "observed", "holds"),
    [
        ("equals", "in order", "in order", True),
        ("equals", "1", "1.0", False),
        ("at_least", "2", "10", True),
        ("at_least", "2", "2", True),
        ("at_least", "2", "1", False),
        ("at_most", "10", "9", True),
        ("at_most", "0", "1", False),
    ],
)
def test_relations_compare_numbers_by_value_and_text_by_letter(
    relation: Relation, expected: str, observed: str, holds: bool
) -> None:
    assert stands(relation, expected, observed) is holds


def test_every_assertion_must_hold() -> None:
    checks = [check("a", passed=True), check("b", passed=False), check("c", passed=False, layer="tool")]
    judged = derive_judgment("j", result("x"), checks)
    assert (judged.verdict, judged.failure_reasons, judged.invalid_reason) == ("fail", ("b", "c"), None)
    assert judged.layers == {"tool": "fail", "answer": "fail", "context": "none"}
    assert derive_judgment("j", result("x"), checks[:1]).verdict == "pass"


@pytest.mark.parametrize("status", MODEL_STATUSES)
def test_a_run_that_nothing_was_asserted_of_fails(status: str) -> None:
    assert derive_judgment("j", result("x", status=status), []).verdict == "fail"


@pytest.mark.parametrize("status", INVALID_STATUSES)
@pytest.mark.parametrize("passed", [True, False])
def test_a_run_that_broke_is_invalid_whatever_its_assertions_say(status: str, passed: bool) -> None:
    error = RunError(code="rate_limited", message="m")
    judged = derive_judgment("j", result("x", status=status, error=error), [check("a", passed=passed)])
    assert (judged.verdict, judged.invalid_reason, judged.failure_reasons) == ("invalid", "rate_limited", ())
    assert derive_judgment("j", result("x", status=status), []).invalid_reason == status


@pytest.mark.parametrize("status", MODEL_STATUSES)
def test_a_run_that_the_model_spoiled_is_a_score(status: str) -> None:
    judged = derive_judgment("j", result("x", status=status), [check("a", passed=False)])
    assert judged.verdict == "fail"


@pytest.mark.parametrize("passed", [True, False])
def test_a_reply_that_the_output_limit_cut_off_fails_and_is_no_invalid_run(passed: bool) -> None:
    error = RunError(code="output_truncated", message="m")
    judged = derive_judgment("j", result(status="provider_failed", error=error), [check("a", passed=passed)])
    assert (judged.verdict, judged.invalid_reason) == ("fail", None)
    assert judged.failure_reasons == (("output_truncated",) if passed else ("output_truncated", "a"))


def test_only_a_provider_tells_of_a_truncated_reply() -> None:
    error = RunError(code="output_truncated", message="m")
    assert derive_judgment("j", result(status="cancelled", error=error), []).verdict == "invalid"
