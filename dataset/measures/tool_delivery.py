"""Which tools a model step has to see, by the delivery mode of the variant and the catalogue alone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from dataset.artifacts.artifact import Step
from dataset.measures.searches import searched_tools
from dataset.questions.variant import Variant
from dataset.tools.catalogue import Catalogue
from dataset.tools.scene import LoginState
from dataset.tools.tool import Tool


def delivered_tools(
    variant: Variant, catalogue: Catalogue, *, scene: str, login_state: LoginState, steps: Iterable[Step] = ()
) -> tuple[Tool, ...]:
    """The tools that a model sees behind the steps of its run; LookupError where the catalogue lacks the scene.

    `scoped`: those of the scene and login state, in the scene's order, whatever the steps are. `search`: the search
    itself, then what it found so far.
    """
    match variant.tool_delivery:
        case "scoped":
            return catalogue.visible(scene, login_state)
        case "search":
            return searched_tools(steps, catalogue, login_state, variant.locale)
        case unknown:
            assert_never(unknown)
