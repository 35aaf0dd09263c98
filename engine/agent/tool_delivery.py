"""How tools reach a model: which of the catalogue a run may see."""

from __future__ import annotations

from functools import lru_cache
from typing import assert_never

from dataset.artifacts.artifact import VisibleTool, VisibleTools
from dataset.questions.question import Question
from dataset.questions.variant import ToolDelivery
from dataset.record import Locale
from dataset.tools.catalogue import Catalogue
from dataset.tools.tool import Tool


def delivered_tools(delivery: ToolDelivery, catalogue: Catalogue, question: Question) -> tuple[Tool, ...]:
    """The tools loaded for a question. `scoped`: those of its scene and login state, in the scene's order."""
    match delivery:
        case "scoped":
            return catalogue.visible(question.scene, question.login_state)
        case "search":
            raise NotImplementedError(delivery)
        case unknown:
            assert_never(unknown)


@lru_cache(maxsize=1024)
def visible_tools(step: int, delivery: ToolDelivery, tools: tuple[Tool, ...], locale: Locale) -> VisibleTools:
    """What a model step can see, by name, version and schema hash; the runs of a case see the same."""
    return VisibleTools(
        step=step,
        delivery=delivery,
        tools=tuple(
            VisibleTool(name=tool.name, version=tool.version, schema_hash=tool.form_hash(locale)) for tool in tools
        ),
    )
