"""How tools reach a model: which of the catalogue a run may see."""

from __future__ import annotations

from typing import assert_never

from dataset.questions.question import Question
from dataset.questions.variant import ToolDelivery
from dataset.tools.catalogue import Catalogue
from dataset.tools.tool import Tool


def delivered_tools(delivery: ToolDelivery, catalogue: Catalogue, question: Question) -> tuple[Tool, ...]:
    """The tools loaded for a question. `scoped`: those of its scene and login state, in the scene's order."""
    match delivery:
        case "scoped":
            return catalogue.visible(question.scene, question.login_state)
        case unknown:
            assert_never(unknown)
