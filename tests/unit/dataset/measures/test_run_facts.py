"""The facts of a run follow from its artifact; what nobody was asked is no tokens, not unknown ones."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import cast

from dataset.artifacts.artifact import Artifact
from dataset.measures.run_facts import RunFacts, facts_of
from tests.factories.finance import events_of, finance_batch, finance_executor
from tests.factories.sections import sections_of


def facts(variant: str, **changes: object) -> RunFacts:
    """The facts of the careful scripted run of the largest session under a variant."""
    executor, plans = finance_executor(batch=finance_batch("context"))
    key = ("long-account-handover", variant, "careful")
    plan = next(p for p in plans if (p.case_id, p.variant_id, p.model_key) == key)
    sections = sections_of(asyncio.run(events_of(executor, plan)))
    context = sections.context.model_copy(update=changes)
    body = {name: getattr(sections, name) for name in type(sections).model_fields} | {"context": context}
    return facts_of(cast(Artifact, SimpleNamespace(run_id=plan.run_id, artifact_hash="0" * 64, **body)))


def test_a_context_that_failed_took_nothing_and_asked_nobody() -> None:
    found = facts("en-full-5k")
    assert (found.input_tokens, found.output_tokens) == (0, 0)
    assert found.working_tokens is None
    assert found.original_tokens is not None
    assert found.original_tokens > 20_000


def test_a_context_that_opened_has_both_sizes() -> None:
    found = facts("en-budgeted-12k")
    assert found.original_tokens is not None
    assert found.working_tokens is not None
    assert 0 < found.working_tokens < found.original_tokens
    assert found.input_tokens is not None


def test_a_run_from_before_openings_had_a_budget_says_nothing_of_them() -> None:
    found = facts("en-full-5k", opening_budget=None)
    assert (found.original_tokens, found.working_tokens, found.input_tokens) == (None, None, None)
    assert not {"original_tokens", "working_tokens"} & set(cast(dict[str, object], found.body()))
