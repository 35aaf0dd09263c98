from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from dataset.artifacts.artifact import Artifact
from dataset.artifacts.digest import open_artifact
from publisher.verification.opening import mode_differences, opening_differences
from tests.factories import forged, make_batch

BATCH = make_batch(text="<b>")
ARTIFACTS = [open_artifact(data) for data in BATCH.artifacts.values()]
RUN = ARTIFACTS[0]


def places(artifact: Artifact) -> list[str]:
    questions = {case.question.id: case.question for case in BATCH.cases}
    variants = {variant.id: variant for variant in BATCH.variants}
    question = next(q for name, q in questions.items() if name == artifact.case.case_id)
    variant = next(v for name, v in variants.items() if name == artifact.case.variant_id)
    found = [*opening_differences(artifact, question, variant), *mode_differences(artifact, variant)]
    return [difference.place for difference in found]


def test_honest_runs_were_given_their_question_in_both_languages() -> None:
    assert [places(artifact) for artifact in ARTIFACTS] == [[] for _ in ARTIFACTS]


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (lambda b: b["context"].update(strategy="magic"), "/context/strategy"),
        (lambda b: b["context"].update(budget=999_999), "/context/budget"),
        (lambda b: b["visible_tools"][0].update(delivery="all"), "/visible_tools/0/delivery"),
        (lambda b: b["context"]["items"].pop(), "/context/items"),
        (lambda b: b["context"]["items"].append(b["context"]["items"][1]), "/context/items"),
        (lambda b: b["context"]["items"][1].update(text="Another note"), "/context/items/1/text"),
        (lambda b: b["context"]["items"][1].update(trust="trusted"), "/context/items/1/trust"),
        (lambda b: b["context"]["items"][1].update(required=True), "/context/items/1/required"),
        (lambda b: b["context"]["items"][1].update(category="policy"), "/context/items/1/category"),
        (lambda b: b["context"]["items"][0].update(source="prompt other v1"), "/context/items/0/source"),
        (lambda b: b["context"]["items"][2].update(text="Hello"), "/context/items/2/text"),
        (lambda b: b["context"]["items"][2].update(id="ask"), "/context/items/2/id"),
    ],
)
def test_a_context_that_the_question_does_not_bring_is_found(change: Callable[[Any], object], place: str) -> None:
    assert places(forged(RUN, change)) == [place]
