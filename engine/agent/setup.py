"""Everything that is frozen for one run before its first model call."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Self

from dataset.artifacts.artifact import VisibleTools
from dataset.artifacts.definition import PlannedRun
from dataset.questions.prompt import Prompt
from dataset.questions.question import Limits, Question
from dataset.questions.variant import Variant
from dataset.tools.catalogue import Catalogue
from dataset.tools.tool import Tool
from engine.agent.tool_delivery import visible_tools


@dataclass(frozen=True, kw_only=True)
class RunSetup:
    """One planned run with the entries of the bank that it uses."""

    plan: PlannedRun
    question: Question
    variant: Variant
    prompt: Prompt
    catalogue: Catalogue
    tools: tuple[Tool, ...]
    """What was loaded for the run; the gate before each model call holds it against the catalogue."""
    limits: Limits
    max_output_tokens: int | None

    def of(self, plan: PlannedRun) -> Self:
        """The setup of another run of the same case and variant, with all that is worked out once for them."""
        _ = self.tool_forms, self.tool_texts, self.has_the_scenes_tools, self._visible_at  # so that the copy has them
        other = copy(self)
        other.__dict__["plan"] = plan
        return other

    def visible_at(self, step: int) -> VisibleTools:
        """The tools that a model step can see."""
        if step not in self._visible_at:
            self._visible_at[step] = visible_tools(step, self.variant.tool_delivery, self.tools, self.variant.locale)
        return self._visible_at[step]

    @cached_property
    def _visible_at(self) -> dict[int, VisibleTools]:
        return {}

    @cached_property
    def has_the_scenes_tools(self) -> bool:
        """Whether what was loaded is what the catalogue has for the scene and login state, schema by schema."""
        allowed = self.catalogue.visible(self.question.scene, self.question.login_state)
        forms = {tool.name: tool.form_hash(self.variant.locale) for tool in allowed}
        return [tool.name for tool in self.tools] == list(forms) and self.schema_hashes == forms

    @cached_property
    def tool_forms(self) -> tuple[dict[str, object], ...]:
        """The loaded tools in the OpenAI function form, described in the run's language."""
        return tuple(tool.function_form(self.variant.locale) for tool in self.tools)

    @cached_property
    def tool_texts(self) -> tuple[str, ...]:
        """The canonical texts of `tool_forms`, as they are counted."""
        return tuple(tool.form_text(self.variant.locale) for tool in self.tools)

    @cached_property
    def schema_hashes(self) -> dict[str, str]:
        """The hash of each loaded tool's function form as the model gets it."""
        return {tool.name: tool.form_hash(self.variant.locale) for tool in self.tools}
