"""The tools that a model step can see, with all that is worked out of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from dataset.artifacts.artifact import VisibleTool, VisibleTools
from dataset.questions.variant import ToolDelivery
from dataset.record import Locale
from dataset.tools.tool import Tool


@dataclass(frozen=True, kw_only=True)
class LoadedTools:
    """Tools in the order in which they were loaded, described in the run's language."""

    delivery: ToolDelivery
    locale: Locale
    tools: tuple[Tool, ...]

    def joined(self, found: Iterable[Tool]) -> LoadedTools:
        """These and the found ones that aren't among them, each once."""
        new = {tool.name: tool for tool in found if tool.name not in self.names}
        return replace(self, tools=(*self.tools, *new.values())) if new else self

    def visible_at(self, step: int) -> VisibleTools:
        """What the model step with this number can see, by name, version and schema hash."""
        if step not in self._visible_at:
            self._visible_at[step] = _visible_tools(step, self.delivery, self.tools, self.locale)
        return self._visible_at[step]

    @cached_property
    def _visible_at(self) -> dict[int, VisibleTools]:
        return {}

    @cached_property
    def names(self) -> frozenset[str]:
        """What may be called."""
        return frozenset(tool.name for tool in self.tools)

    @cached_property
    def forms(self) -> tuple[dict[str, object], ...]:
        """The tools in the OpenAI function form."""
        return tuple(tool.function_form(self.locale) for tool in self.tools)

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The canonical texts of `forms`, as they are counted."""
        return tuple(tool.form_text(self.locale) for tool in self.tools)

    @cached_property
    def hashes(self) -> tuple[tuple[str, str], ...]:
        """The name of each tool and the hash of its function form as the model gets it, in their order."""
        return tuple((tool.name, tool.form_hash(self.locale)) for tool in self.tools)

    def are(self, wanted: tuple[Tool, ...]) -> bool:
        """Whether these are the wanted tools, in their order and schema by schema."""
        return self.hashes == tuple((tool.name, tool.form_hash(self.locale)) for tool in wanted)


@lru_cache(maxsize=1024)
def _visible_tools(step: int, delivery: ToolDelivery, tools: tuple[Tool, ...], locale: Locale) -> VisibleTools:
    """The runs of a case see the same."""
    return VisibleTools(
        step=step,
        delivery=delivery,
        tools=tuple(
            VisibleTool(name=tool.name, version=tool.version, schema_hash=tool.form_hash(locale)) for tool in tools
        ),
    )
