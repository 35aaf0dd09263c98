from __future__ import annotations

from typing import Any

import pytest

from dataset.artifacts.artifact import Artifact, GuardrailCheck, ToolStep
from dataset.artifacts.digest import open_artifact
from dataset.artifacts.outside_text import keep
from dataset.canonical import canonical_text
from dataset.measures.fence import fenced
from dataset.tools.pure_function import PureReply
from publisher.verification.replies import computed_reply, reply_differences, reply_seal
from tests.factories import make_batch

BATCH = make_batch()
RUN = next(
    artifact
    for artifact in map(open_artifact, BATCH.artifacts.values())
    if sum(isinstance(step, ToolStep) for step in artifact.steps) == 2
)
FROZEN, REFUSED = (step for step in RUN.steps if isinstance(step, ToolStep))
SUM = computed_reply("decimal_calculator/1", {"expression": "1.5+2"})
assert SUM is not None
COMPUTED = FROZEN.model_copy(
    update={
        "tool": "calculator",
        "arguments_parsed": canonical_text({"expression": "1.5+2"}),
        "source": "pure",
        "reply_hash": reply_seal("decimal_calculator/1", SUM),
        "result": SUM.text,
    }
)
REWRITE = GuardrailCheck(
    point="observation", step=1, call_id="call-1", guard="G7", verdict="rewrite", code="G7-OBS-002", detail=""
)


def messages(step: ToolStep, *checks: GuardrailCheck) -> list[tuple[str, str]]:
    """What is said of a run in which one step takes the place of the step of its number."""
    steps = tuple(step if old.step == step.step else old for old in RUN.steps)
    changed: Artifact = RUN.model_copy(update={"steps": steps, "guardrail_checks": (*RUN.guardrail_checks, *checks)})
    return [(found.place, found.message) for found in reply_differences(changed)]


def changed(step: ToolStep, **changes: Any) -> ToolStep:
    return step.model_copy(update=changes)


@pytest.mark.parametrize("step", [FROZEN, REFUSED, COMPUTED], ids=["frozen", "refused", "computed"])
def test_an_honest_reply_is_the_one_that_its_hash_names(step: ToolStep) -> None:
    assert messages(step) == []


@pytest.mark.parametrize(
    "change",
    [
        {"result": '{"code":"000001","nav":"9.9999","note":""}'},
        {"result": keep(b"\xff")},
        {"arguments_parsed": '{"code":"000002"}'},
        {"arguments_parsed": None},
        {"arguments_parsed": "[1]"},
        {"arguments_parsed": "{"},
        {"arguments_parsed": "\ud800"},
        {"tool": "order_history"},
        {"tool": "Not A Name"},
        {"tool": keep(b"\xff")},
        {"tool_version": 2},
        {"tool_version": None},
        {"reply_status": "error"},
        {"reply_status": None},
        {"reply_hash": "0" * 64},
        {"reply_hash": None},
        {"source": "pure"},
        {"source": "refusal"},
        {"untrusted": True},
    ],
)
def test_a_frozen_reply_changed_in_any_part_is_found(change: dict[str, Any]) -> None:
    assert [place for place, _ in messages(changed(FROZEN, **change))] == ["/steps/1"]


@pytest.mark.parametrize(
    "change",
    [
        {"result": '{"result":"4"}'},
        {"result": '{"result":"4"}', "reply_hash": "0" * 64},
        {"arguments_parsed": '{"expression":"1.5+3"}'},
        {"arguments_parsed": "{}"},
        {"arguments_parsed": '{"expression":["1"]}'},
        {"arguments_parsed": None},
        {"reply_status": "error"},
        {"source": "fixture"},
    ],
)
def test_a_computed_reply_that_the_function_does_not_give_is_found(change: dict[str, Any]) -> None:
    assert [place for place, _ in messages(changed(COMPUTED, **change))] == ["/steps/1"]


def test_a_forged_computation_under_a_hash_of_its_own_is_found() -> None:
    forged = changed(
        COMPUTED,
        result='{"result":"4"}',
        reply_hash=reply_seal("decimal_calculator/1", PureReply(status="ok", text='{"result":"4"}')),
    )
    assert messages(forged) == [("/steps/1", "no function gives the reply that the hash names")]


@pytest.mark.parametrize("change", [{"reply_hash": "0" * 64}, {"reply_status": "ok"}, {"source": "fixture"}])
def test_a_refused_call_with_a_reply_is_found(change: dict[str, Any]) -> None:
    assert messages(changed(REFUSED, **change)) == [("/steps/2", "a refused call has no reply")]


def test_an_untrusted_reply_is_looked_at_inside_its_fence() -> None:
    assert isinstance(FROZEN.result, str)
    inside = fenced(FROZEN.result, source="tool fund_nav")
    assert messages(changed(FROZEN, untrusted=True, result=inside)) == []
    forged = fenced(FROZEN.result.replace("1.2345", "9.9999"), source="tool fund_nav")
    assert messages(changed(FROZEN, untrusted=True, result=forged)) == [
        ("/steps/1", "the reply is not the one that its hash names")
    ]
    torn = inside.replace("1.2345", "9.9999")
    assert messages(changed(FROZEN, untrusted=True, result=torn)) == [
        ("/steps/1", "the reply of an untrusted tool is not in its fence")
    ]


def test_a_rewritten_reply_is_held_to_its_hash_only_where_it_can_be_computed() -> None:
    assert messages(changed(FROZEN, result="[cut]"), REWRITE) == []
    assert messages(changed(COMPUTED, result="[cut]"), REWRITE) == []
    assert messages(changed(COMPUTED, result="[cut]", reply_hash="0" * 64), REWRITE) != []
    elsewhere = REWRITE.model_copy(update={"step": 7})
    assert messages(changed(FROZEN, result="[cut]"), elsewhere) != []


@pytest.mark.parametrize("arguments", [{}, None, [], {"expression": None}, {"other": "1"}])
def test_arguments_that_are_none_for_the_function_raise_nothing(arguments: Any) -> None:
    reply = computed_reply("decimal_calculator/1", arguments)
    assert reply is None or reply.status == "error"
    assert computed_reply("no_such/1", {"expression": "1"}) is None
