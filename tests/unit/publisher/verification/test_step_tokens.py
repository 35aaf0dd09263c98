"""What each model call was given is counted again: opening, turns, tools."""

from __future__ import annotations

import pytest

from dataset.artifacts.artifact import Artifact, StepTokens
from publisher.verification.context import context_differences
from tests.factories.finance import finance_artifact, finance_pack

PACK = finance_pack()
CASES = ("nav-then-value", "news-with-commands", "order-kinds-explained")


def recorded(case: str, variant: str, style: str = "careful") -> Artifact:
    return finance_artifact(PACK, "contrast", case_id=case, variant_id=variant, style=style)


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
    forged = artifact.model_copy(update={"context": context})
    assert places(forged, "nav-then-value", variant) == ["/context/step_tokens/1/tokens"]
