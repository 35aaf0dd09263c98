from dataset.measures.failing import failing_runs
from tests.factories import make_batch

BASE = make_batch(case_ids=("fund-nav",), model_keys=("careful",)).report.runs[0]


def test_each_valid_run_counts_once_a_kind_and_the_most_stand_first() -> None:
    runs = [
        BASE.model_copy(update={"verdict": "fail", "failure_reasons": ("tool.must.a", "tool.must.b", "answer.given")}),
        BASE.model_copy(update={"verdict": "fail", "failure_reasons": ("tool.must.a", "answer.fact.x")}),
        BASE.model_copy(update={"verdict": "invalid", "failure_reasons": ("tool.must.a",)}),
    ]
    found = failing_runs(runs)
    assert found == {"tool.must": 2, "answer.fact": 1, "answer.given": 1}
    assert list(found) == ["tool.must", "answer.fact", "answer.given"]


def test_runs_that_passed_fail_for_nothing() -> None:
    assert failing_runs([BASE]) == {}
