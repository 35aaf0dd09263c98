"""Everything that is frozen for one run before its first model call."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Self

from dataset.artifacts.artifact import Step
from dataset.artifacts.definition import PlannedRun
from dataset.measures.tool_delivery import delivered_tools
from dataset.questions.prompt import Prompt
from dataset.questions.question import Limits, Question
from dataset.questions.variant import Variant
from dataset.tools.catalogue import Catalogue
from dataset.tools.tool import Tool
from engine.agent.loaded_tools import LoadedTools


@dataclass(frozen=True, kw_only=True)
class RunSetup:
    """One planned run with the entries of the bank that it uses."""

    plan: PlannedRun
    question: Question
    variant: Variant
    prompt: Prompt
    catalogue: Catalogue
    tools: tuple[Tool, ...]
    """What is loaded at the start; the gate before each model call holds it against the catalogue."""
    limits: Limits
    max_output_tokens: int | None

    def of(self, plan: PlannedRun) -> Self:
        """The setup of another run of the same case and variant, with all that is worked out once for them."""
        _ = self.loaded, self.opens_with_its_own  # so that the copy has them
        other = copy(self)
        other.__dict__["plan"] = plan
        return other

    @cached_property
    def loaded(self) -> LoadedTools:
        """What the first model step sees, and under `scoped` every one."""
        return LoadedTools(delivery=self.variant.tool_delivery, locale=self.variant.locale, tools=self.tools)

    @cached_property
    def opens_with_its_own(self) -> bool:
        """Whether what is loaded at the start is what the catalogue gives, schema by schema."""
        return self.loaded.are(self.delivered())

    def delivered(self, steps: Sequence[Step] = ()) -> tuple[Tool, ...]:
        """What the catalogue gives the run behind these steps."""
        question = self.question
        return delivered_tools(
            self.variant, self.catalogue, scene=question.scene, login_state=question.login_state, steps=steps
        )
