"""How tools reach a model: which of the catalogue a run may see."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from dataset.artifacts.artifact import Step
from dataset.measures.searches import searched_tools
from dataset.questions.question import Question
from dataset.questions.variant import Variant
from dataset.tools.catalogue import Catalogue
from dataset.tools.tool import Tool


def delivered_tools(
    variant: Variant, catalogue: Catalogue, question: Question, steps: Sequence[Step] = ()
) -> tuple[Tool, ...]:
    """The tools that a model sees behind the steps of its run, by the catalogue alone.

    `scoped`: those of the question's scene and login state, in the scene's order, whatever the steps are. `search`: the
    search itself, then what it found so far.
    """
    match variant.tool_delivery:
        case "scoped":
            return catalogue.visible(question.scene, question.login_state)
        case "search":
            return searched_tools(steps, catalogue, question.login_state, variant.locale)
        case unknown:
            assert_never(unknown)
