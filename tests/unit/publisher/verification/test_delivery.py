"""Runs whose tools were searched: a verifier makes every search again, and finds what doesn't follow."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import Any

import pytest

from dataset.artifacts.artifact import Artifact, ModelStep, ToolStep
from dataset.artifacts.definition import PlannedRun
from dataset.artifacts.digest import open_artifact
from dataset.canonical import canonical_bytes, canonical_text
from dataset.measures.searches import is_search
from dataset.questions.pack import Pack
from dataset.questions.variant import ToolDelivery
from dataset.record import CaseId, Locale, VariantId
from dataset.tools.tool_search import TOOL_SEARCH, search_seal
from engine.batches.frozen_batch import FrozenBatch
from engine.telemetry.assembly import assemble
from publisher.projection.public_catalogue import PublicCatalogue, publish_catalogue
from publisher.verification.agreement import Promise, agreement_differences
from publisher.verification.assertions import assertion_differences
from publisher.verification.difference import Difference
from publisher.verification.record import record_differences
from tests.factories import forged
from tests.factories.finance import events_of, finance_batch, finance_executor, finance_pack, scripted_model

ARMS: dict[str, tuple[Locale, ToolDelivery]] = {
    "searched-en": ("en", "search"),
    "searched-zh": ("zh", "search"),
    "scoped-en": ("en", "scoped"),
}
SHORT = 4_000
"""Characters of a session that the runs of this file still take: the long ones have tests of their own."""


@cache
def searched_batch() -> FrozenBatch:
    """The finance pack's short cases with an arm of searched tools in each language, and one of scoped tools."""
    pack = finance_pack()
    like = pack.variants[next(iter(pack.variants))]
    arms = {
        name: like.model_copy(
            update={
                "id": VariantId(name),
                "locale": locale,
                "tool_delivery": delivery,
                "context_strategy": "full",
                "context_window": None,
                "context_reserve": None,
                "context_budget": 32_000,
            }
        )
        for name, (locale, delivery) in ARMS.items()
    }
    short = [name for name, q in pack.questions.items() if sum(len(item.text.en) for item in q.session) < SHORT]
    template = pack.templates["english"].model_copy(
        update={"cases": tuple(short), "variants": tuple(arms), "repeats": 1, "contrasts": ()}
    )
    held = replace(pack, variants={**pack.variants, **arms}, templates={**pack.templates, template.id: template})
    return finance_batch(template.id, pack=held, models=[scripted_model("careful")])


@cache
def runs() -> dict[tuple[str, str], tuple[PlannedRun, Artifact]]:
    """Every run of the batch, by case and arm."""
    executor, plans = finance_executor(batch=searched_batch())
    return {
        (plan.case_id, plan.variant_id): (
            plan,
            open_artifact(assemble(plan.run_id, asyncio.run(events_of(executor, plan)))),
        )
        for plan in plans
    }


def pack() -> Pack:
    return searched_batch().pack


def differences(plan: PlannedRun, artifact: Artifact) -> list[Difference]:
    batch = searched_batch()
    promise = Promise(
        batch_id=batch.id,
        definition=batch.definition,
        definition_hash=batch.definition_hash,
        questions=pack().questions,
        variants=pack().variants,
        catalogue=publish_catalogue(pack().catalogue).catalogue,
    )
    return [
        *record_differences(artifact),
        *agreement_differences(artifact, plan, promise),
        *assertion_differences(artifact, pack().golds[plan.case_id]),
    ]


def growing() -> tuple[PlannedRun, Artifact]:
    """A run with a search, a call of what it found, and an answer."""
    return next(
        (plan, artifact)
        for plan, artifact in runs().values()
        if [isinstance(s, ToolStep) and is_search(s) for s in artifact.steps[:4]] == [False, True, False, False]
        and isinstance(artifact.steps[3], ToolStep)
        and artifact.steps[3].outcome == "executed"
        and plan.variant_id == "searched-en"
    )


def test_every_case_plays_under_both_deliveries_and_a_verifier_finds_nothing() -> None:
    assert len(runs()) >= 60
    for (case, arm), (plan, artifact) in runs().items():
        assert differences(plan, artifact) == [], (case, arm)
        assert artifact.result.status == "completed", (case, arm)


def test_what_a_step_can_see_grows_by_what_was_found() -> None:
    _, artifact = growing()
    seen = [[tool.name for tool in entry.tools] for entry in artifact.visible_tools]
    assert seen[0] == [TOOL_SEARCH.name]
    assert len(seen[1]) > 1
    assert all(later[: len(earlier)] == earlier for earlier, later in pairwise(seen))
    called = artifact.steps[3]
    assert isinstance(called, ToolStep)
    assert called.tool in seen[1]
    assert artifact.result.tool_calls == sum(isinstance(step, ToolStep) for step in artifact.steps)


def test_a_transcript_meets_its_golds_under_search_where_it_does_when_scoped() -> None:
    for case in searched_batch().definition.cases:
        scoped, searched = (runs()[case.id, arm][1].judgment for arm in ("scoped-en", "searched-en"))
        assert (searched.verdict, searched.failure_reasons) == (scoped.verdict, scoped.failure_reasons), case.id


def test_no_run_was_shown_a_tool_that_its_login_state_may_not_call() -> None:
    catalogue = pack().catalogue
    for plan, artifact in runs().values():
        if not plan.variant_id.startswith("searched"):
            continue
        names = {tool.name for entry in artifact.visible_tools for tool in entry.tools} - {TOOL_SEARCH.name}
        assert all(catalogue.permits(catalogue.tools[name], artifact.case.login_state) for name in names)


def reply_of(body: Any) -> Any:
    return body["steps"][1]


def names_another(body: Any) -> None:
    """The reply names a tool of the bank that the search doesn't find, with a hash that fits."""
    text = canonical_text({"tools": [{"description": "Adds a note.", "name": "note_add"}]})
    reply_of(body).update({"result": text, "reply_hash": search_seal(text)})


def finds_nothing(body: Any) -> None:
    reply_of(body).update({"result": '{"tools":[]}', "reply_hash": search_seal('{"tools":[]}')})


def other_text(body: Any) -> None:
    reply_of(body)["result"] = '{"tools":[]}'


def other_query(body: Any) -> None:
    arguments = '{"query":"zzz"}'
    body["steps"][0]["tool_calls"][0].update({"arguments_raw": arguments, "arguments_parsed": arguments})
    reply_of(body).update({"arguments_raw": arguments, "arguments_parsed": arguments})


def no_query(body: Any) -> None:
    arguments = '{"query":7}'
    body["steps"][0]["tool_calls"][0].update({"arguments_raw": arguments, "arguments_parsed": arguments})
    reply_of(body).update({"arguments_raw": arguments, "arguments_parsed": arguments})


def loaded_early(body: Any) -> None:
    body["visible_tools"][0]["tools"] = body["visible_tools"][1]["tools"]


def loaded_late(body: Any) -> None:
    body["visible_tools"][1]["tools"] = body["visible_tools"][0]["tools"]


def forged_tool(body: Any) -> None:
    body["visible_tools"][1]["tools"].append({"name": "note_add", "version": 1, "schema_hash": "0" * 64})


def forged_schema(body: Any) -> None:
    body["visible_tools"][1]["tools"][1]["schema_hash"] = "0" * 64


def other_order(body: Any) -> None:
    body["visible_tools"][1]["tools"].reverse()


def told_as_frozen(body: Any) -> None:
    reply_of(body)["source"] = "fixture"


def told_as_searched(body: Any) -> None:
    body["steps"][3]["source"] = "search"


def no_version(body: Any) -> None:
    """A search without a version would be a call that golds count."""
    reply_of(body)["tool_version"] = None


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (names_another, "/steps/1/reply_hash"),
        (finds_nothing, "/steps/1/reply_hash"),
        (other_text, "/steps/1"),
        (other_query, "/steps/1/reply_hash"),
        (no_query, "/steps/1/arguments_parsed"),
        (loaded_early, "/visible_tools/0/tools"),
        (loaded_late, "/visible_tools/1/tools"),
        (loaded_late, "/steps/3/tool"),
        (forged_tool, "/visible_tools/1/tools"),
        (forged_schema, "/visible_tools/1/tools/1/schema_hash"),
        (other_order, "/visible_tools/1/tools/0"),
        (told_as_frozen, "/steps/1"),
        (told_as_searched, "/steps/3"),
        (no_version, "/steps/1/tool_version"),
    ],
)
def test_what_does_not_follow_from_the_catalogue_is_named_with_its_place(
    change: Callable[[Any], None], place: str
) -> None:
    plan, artifact = growing()
    assert differences(plan, artifact) == []
    found = differences(plan, forged(artifact, change))
    assert any(difference.place.startswith(place) for difference in found), [d.place for d in found]


def test_a_scoped_run_sees_exactly_the_tools_of_its_scene() -> None:
    batch = finance_batch(models=[scripted_model("careful")])
    executor, plans = finance_executor(batch=batch)
    plan = next(p for p in plans if p.case_id == CaseId("fund-profile-basics"))
    artifact = open_artifact(assemble(plan.run_id, asyncio.run(events_of(executor, plan))))
    promise = Promise(
        batch_id=batch.id,
        definition=batch.definition,
        definition_hash=batch.definition_hash,
        questions=batch.pack.questions,
        variants=batch.pack.variants,
        catalogue=batch.pack.catalogue,
    )
    assert list(agreement_differences(artifact, plan, promise)) == []
    fewer = forged(artifact, lambda body: body["visible_tools"][0]["tools"].pop())
    (difference, *_) = agreement_differences(fewer, plan, promise)
    assert difference.place.startswith("/visible_tools/0/tools")
    empty = replace(promise, catalogue=replace(batch.pack.catalogue, scenes={}))
    assert {d.place for d in agreement_differences(artifact, plan, empty)} == {
        f"/visible_tools/{position}/tools" for position in range(len(artifact.visible_tools))
    }


def test_a_published_catalogue_is_the_one_that_was_frozen_byte_for_byte() -> None:
    published = publish_catalogue(pack().catalogue)
    data = canonical_bytes(published.body())
    read = PublicCatalogue.model_validate_json(data, strict=True)
    assert canonical_bytes(read.body()) == data
    assert read.catalogue.content_hash == pack().catalogue.content_hash == searched_batch().definition.catalogue_hash
    assert read.in_order
    assert not PublicCatalogue(tools=published.tools[::-1], scenes=(), permissions=()).in_order
    assert not PublicCatalogue(tools=published.tools[:1] * 2, scenes=(), permissions=()).in_order


def test_a_schema_with_floats_can_be_published() -> None:
    name, tool = next(iter(pack().catalogue.tools.items()))
    schema = {**tool.parameters, "properties": {"amount": {"type": "number", "multipleOf": 0.01}}, "required": []}
    changed = replace(pack().catalogue, tools={name: tool.model_copy(update={"parameters": schema})})
    data = canonical_bytes(publish_catalogue(changed).body())
    assert PublicCatalogue.model_validate_json(data, strict=True).catalogue.content_hash == changed.content_hash


@pytest.mark.parametrize("written", ["{", "[" * 2_000, "7", '"x"', '{"type":"object","type":"object"}', "NaN"])
def test_a_published_schema_that_is_none_is_refused(written: str) -> None:
    body = publish_catalogue(pack().catalogue).model_dump(mode="json", by_alias=True)
    body["tools"][0]["parameters"] = written
    with pytest.raises(ValueError, match="parameters"):
        PublicCatalogue.model_validate(body)


def test_the_model_steps_of_a_search_are_replies_like_any_other() -> None:
    _, artifact = growing()
    first = artifact.steps[0]
    assert isinstance(first, ModelStep)
    assert first.tool_calls[0].name == TOOL_SEARCH.name
