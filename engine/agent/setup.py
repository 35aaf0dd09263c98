"""Everything that is frozen for one run before its first model call."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from dataset.artifacts.definition import PlannedRun
from dataset.canonical import content_hash
from dataset.questions.prompt import Prompt
from dataset.questions.question import Limits, Question
from dataset.questions.variant import Variant
from dataset.tools.catalogue import Catalogue
from dataset.tools.tool import Tool


@dataclass(frozen=True, kw_only=True)
class RunSetup:
    """One planned run with the entries of the bank that it uses."""

    plan: PlannedRun
    question: Question
    variant: Variant
    prompt: Prompt
    catalogue: Catalogue
    limits: Limits
    max_output_tokens: int

    @cached_property
    def tools(self) -> tuple[Tool, ...]:
        """The tools that the run may see (`scoped` delivery: those of the scene and login state)."""
        return self.catalogue.visible(self.question.scene, self.question.login_state)

    @cached_property
    def tool_forms(self) -> tuple[dict[str, object], ...]:
        """The visible tools in the OpenAI function form, described in the run's language."""
        return tuple(tool.function_form(tool.description.to(self.variant.locale)) for tool in self.tools)

    @cached_property
    def schema_hashes(self) -> dict[str, str]:
        """The hash of each visible tool's function form as the model gets it."""
        return {
            tool.name: content_hash(form, allow_floats=True)
            for tool, form in zip(self.tools, self.tool_forms, strict=True)
        }
