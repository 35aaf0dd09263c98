"""What each model call was given is counted again: opening, turns, tools."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import cast

import pytest

from dataset.artifacts.artifact import Artifact, StepTokens
from publisher.verification.context import context_differences
from tests.factories.finance import events_of, finance_batch, finance_executor, finance_pack
from tests.factories.sections import sections_of

PACK = finance_pack()
CASES = ("nav-then-value", "news-with-commands", "order-kinds-explained")


def recorded(case: str, variant: str, style: str = "careful") -> Artifact:
    executor, plans = finance_executor(batch=finance_batch("contrast", pack=PACK))
    plan = next(p for p in plans if (p.case_id, p.variant_id, p.model_key) == (case, variant, style))
    sections = sections_of(asyncio.run(events_of(executor, plan)))
    held = ("case", "context", "result", "steps")
    return cast(Artifact, SimpleNamespace(**{name: getattr(sections, name) for name in held}))


def places(artifact: Artifact, case: str, variant: str) -> list[str]:
    question, arm = PACK.questions[case], PACK.variants[variant]
    return [d.place for d in context_differences(artifact, question, arm, PACK.catalogue)]


@pytest.mark.parametrize("variant", ["en-scoped-full", "zh-scoped-full", "en-search-full", "zh-search-full"])
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("style", ["careful", "careless"])
def test_every_call_was_given_what_is_recorded(case: str, variant: str, style: str) -> None:
    artifact = recorded(case, variant, style)
    assert artifact.context.step_tokens
    assert places(artifact, case, variant) == []


@pytest.mark.parametrize("variant", ["en-scoped-full", "en-search-full"])
def test_one_token_more_or_less_is_found_at_its_step(variant: str) -> None:
    artifact = recorded("nav-then-value", variant)
    steps = list(artifact.context.step_tokens)
    steps[1] = StepTokens(step=steps[1].step, tokens=steps[1].tokens - 1)
    context = artifact.context.model_copy(update={"step_tokens": tuple(steps)})
    forged = cast(Artifact, SimpleNamespace(**{**vars(artifact), "context": context}))
    assert places(forged, "nav-then-value", variant) == ["/context/step_tokens/1/tokens"]
