"""A run leads to the failed runs next to it, and a model step tells what was new to it."""

from __future__ import annotations

from dataset.artifacts.artifact import ModelStep, ToolStep
from dataset.artifacts.digest import open_artifact
from publisher.rendering.runs.guard_marks import numbered
from publisher.rendering.runs.timeline import ModelEntry, ToolEntry, timeline
from publisher.rendering.runs.tools import tools_view
from publisher.rendering.runs.view import run_places
from publisher.rendering.snapshot.snapshot import PublishedBatch
from tests.factories import make_batch


def test_failed_neighbours_are_the_nearest_failed_runs_on_both_sides() -> None:
    batch = make_batch("batch-1", scenario=lambda planned: "fail" if planned.position in (2, 5) else "pass")
    places = list(run_places(PublishedBatch(report=batch.report, release=1, data=b"")))
    failed = [place.facts.run_id for place in places if place.facts.verdict == "fail"]
    assert len(failed) == 2
    assert [place.previous_failed and place.previous_failed.run_id for place in places[:6]] == [
        None,
        None,
        failed[0],
        failed[0],
        failed[0],
        failed[1],
    ]
    assert [place.following_failed and place.following_failed.run_id for place in places[:5]] == [
        failed[0],
        failed[1],
        failed[1],
        failed[1],
        None,
    ]


def test_each_model_step_names_the_results_it_is_the_first_to_see_and_each_call_its_answer() -> None:
    batch = make_batch("batch-1", model_keys=("careful",), scenario=lambda _: "pass")
    artifact = open_artifact(next(iter(batch.artifacts.values())))
    tools = tools_view(artifact.visible_tools, artifact.steps)
    entries = timeline(artifact.steps, numbered(artifact.guardrail_checks), tools, {0: 17})
    asked = [entry for entry in entries if isinstance(entry, ModelEntry)]
    answered = [entry for entry in entries if isinstance(entry, ToolEntry)]
    assert [entry.first for entry in asked] == [True] + [False] * (len(asked) - 1)
    assert [number for entry in asked for number in entry.news] == [entry.number for entry in answered]
    assert asked[0].tokens == 17
    assert {call.answer for entry in asked for call in entry.calls} == {entry.number for entry in answered}
    for entry in answered:
        assert entry.call is not None
        assert entry.arguments is None
        assert entry.chain is not None


def test_an_answer_whose_call_no_step_made_shows_its_own_arguments() -> None:
    batch = make_batch("batch-1", model_keys=("careful",), scenario=lambda _: "pass")
    artifact = open_artifact(next(iter(batch.artifacts.values())))
    steps = [
        step.model_copy(update={"tool_calls": ()}) if isinstance(step, ModelStep) else step for step in artifact.steps
    ]
    entries = timeline(steps, (), tools_view(artifact.visible_tools, steps), {})
    (shown,) = [entry for entry in entries if isinstance(entry, ToolEntry)]
    (step,) = [step for step in steps if isinstance(step, ToolStep)]
    assert shown.call is None
    assert shown.arguments is not None
    assert shown.arguments.raw.length == len(str(step.arguments_raw))
    assert shown.linked_tool == step.tool


def test_a_tool_that_the_run_could_not_see_has_no_link() -> None:
    batch = make_batch("batch-1", model_keys=("careful",), scenario=lambda _: "pass")
    artifact = open_artifact(next(iter(batch.artifacts.values())))
    entries = timeline(artifact.steps, (), tools_view((), artifact.steps), {})
    assert all(entry.linked_tool is None for entry in entries if isinstance(entry, ToolEntry))
