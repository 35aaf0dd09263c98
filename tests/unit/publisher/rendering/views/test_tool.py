"""What the page of a tool shows of very many runs: all of them counted, as many listed as leave it light."""

from __future__ import annotations

from collections.abc import Sequence

from publisher.rendering.pages.gathered import Gathered, RunSeen, SeenTool
from publisher.rendering.views.code import MOST_ON_A_PAGE, MOST_RUNS, runs_listed
from publisher.rendering.views.tool import MOST_REFUSALS, ToolView, tool_views
from tests.factories.bank import fake_hash
from tests.factories.boards import BoardModel, make_report

RUNS = 2 * MOST_RUNS + 10


def gathered(version: int = 1, refused: int = 1, every: int = 1) -> Gathered:
    """Of two models, each run saw a tool; every so many called it, and were refused."""
    report = make_report("batch-1", [BoardModel(key="one"), BoardModel(key="two")], cases=RUNS // 2)
    found = Gathered(lines={str(run.run_id): run for run in report.runs})
    for number, run in enumerate(report.runs):
        refusals = tuple((step, "G3-AUTH-001") for step in range(2, 2 + refused)) if number % every == 0 else ()
        seen = SeenTool(
            name="fund_nav",
            version=1 + number % version,
            schema_hash=fake_hash("schema"),
            executed=0,
            refused=refusals,
        )
        found.take(RunSeen(run_id=run.run_id, codes=(), tools=(seen,)))
    return found


def view_of(found: Gathered, *, locales: Sequence[str] = ("en",)) -> ToolView:
    """The one tool; its runs were asked in these languages in turn."""
    asked = {run_id: locales[number % len(locales)] for number, run_id in enumerate(found.lines)}
    (view,) = tool_views(found, asked)
    return view


def test_all_refusals_are_counted_and_the_first_listed() -> None:
    view = view_of(gathered(refused=2))
    assert view.refused == 2 * 2 * RUNS
    assert len(view.refusals) == MOST_REFUSALS
    assert [refusal.step for refusal in view.refusals[:4]] == [2, 3, 2, 3]


def test_of_each_model_all_runs_are_counted_and_the_first_listed() -> None:
    view = view_of(gathered())
    assert [(model.model_key, model.seen, model.called, len(model.runs)) for model in view.models] == [
        ("one", RUNS, RUNS, MOST_RUNS),
        ("two", RUNS, RUNS, MOST_RUNS),
    ]


def test_only_runs_that_called_it_are_listed() -> None:
    view = view_of(gathered(every=3))
    assert view.executed == 0
    assert sum(model.called for model in view.models) == 2 * RUNS // 3
    for model in view.models:
        assert model.seen == RUNS
        assert 0 < model.called == model.refused == len(model.runs) < RUNS
        assert all(found.seen.refused for found in model.runs)


def test_each_version_is_told_once_oldest_first() -> None:
    view = view_of(gathered(version=3))
    assert [schema.version for schema in view.schemas] == [1, 2, 3]


def test_a_version_has_a_schema_for_each_language_that_it_was_shown_in() -> None:
    english, chinese = (
        RunSeen(
            run_id=run_id,
            codes=(),
            tools=(SeenTool(name="fund_nav", version=1, schema_hash=fake_hash(text), executed=0, refused=()),),
        )
        for run_id, text in (("batch-1-0001", "Net value"), ("batch-1-0002", "净值"))
    )
    found = gathered()
    found.tools.clear()
    for seen in (english, chinese):
        found.take(seen)
    view = view_of(found, locales=("en", "zh"))
    assert {schema.schema_hash: schema.locales for schema in view.schemas} == {
        fake_hash("Net value"): ("en",),
        fake_hash("净值"): ("zh",),
    }
    assert not view.changed
    assert view_of(found).changed


def test_the_same_schema_in_both_languages_is_told_once() -> None:
    view = view_of(gathered(), locales=("en", "zh"))
    assert [schema.locales for schema in view.schemas] == [("en", "zh")]
    assert not view.changed


def test_a_page_lists_fewer_runs_of_each_model_the_more_models_there_are() -> None:
    assert runs_listed(0) == runs_listed(1) == runs_listed(MOST_ON_A_PAGE // MOST_RUNS) == MOST_RUNS
    assert runs_listed(20) == MOST_ON_A_PAGE // 20
    assert runs_listed(10 * MOST_ON_A_PAGE) == 1
