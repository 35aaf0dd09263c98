"""Everything that is frozen for one run before its first model call."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from dataset.artifacts.definition import PlannedRun
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
    tools: tuple[Tool, ...]
    """What was loaded for the run; the gate before each model call holds it against the catalogue."""
    limits: Limits
    max_output_tokens: int | None

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
