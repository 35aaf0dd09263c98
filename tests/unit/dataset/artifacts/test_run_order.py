"""The order of a batch is fixed by hash, so that neither an arm nor a model always goes first."""

from __future__ import annotations

from collections import Counter, defaultdict

import pytest

from dataset.artifacts.definition import PlannedRun, planned_runs
from tests.factories.finance import finance_batch, finance_pack

PACK = finance_pack()
TEMPLATES = ("contrast", "prompt")


def plans(template: str) -> list[PlannedRun]:
    batch = finance_batch(template, pack=PACK)
    return list(planned_runs(batch.definition, batch.id))


def first_in_each_case(template: str, part: str) -> Counter[str]:
    """How often each arm or model is the first that is asked a case."""
    seen: dict[tuple[object, ...], str] = {}
    for plan in plans(template):
        arm = getattr(plan, part)
        others = (plan.case_id, plan.repeat, plan.model_key if part == "variant_id" else plan.variant_id)
        seen.setdefault(others, str(arm))
    return Counter(seen.values())


@pytest.mark.parametrize("template", TEMPLATES)
@pytest.mark.parametrize("part", ["variant_id", "model_key"])
def test_every_arm_and_model_goes_first_somewhere_and_none_in_most_cases(template: str, part: str) -> None:
    first = first_in_each_case(template, part)
    arms = {str(getattr(plan, part)) for plan in plans(template)}
    assert set(first) == arms
    assert max(first.values()) < first.total() * (0.7 if len(arms) == 2 else 0.5)


@pytest.mark.parametrize("template", [*TEMPLATES, "context"])
def test_an_arm_stands_all_over_the_batch(template: str) -> None:
    """The mean place of each arm is near the middle: none is run while a server is cold, or at its busiest."""
    places: dict[str, list[int]] = defaultdict(list)
    for plan in plans(template):
        places[plan.variant_id].append(plan.position)
    count = sum(map(len, places.values()))
    means = [sum(found) / len(found) / count for found in places.values()]
    assert all(0.1 < mean < 0.9 for mean in means)


def test_the_same_definition_gives_the_same_order() -> None:
    assert plans("context") == plans("context")
