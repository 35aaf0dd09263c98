"""The tools that each model step could see, and under searched delivery what the searches between them brought."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dataset.artifacts.artifact import Step, ToolStep, VisibleTool, VisibleTools
from dataset.artifacts.outside_text import shown
from dataset.canonical import CanonicalError, read_strict
from dataset.measures.searches import is_search

SEARCHED = "search"
"""The delivery mode under which tools are found step by step."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Search:
    """One call of the search: its query (null where its arguments hold none) and the names of what it found."""

    step: int
    query: str | None
    found: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class NewTool:
    """A tool that a step is the first to see, and the search that found it; null for one that needed none."""

    tool: VisibleTool
    search: Search | None


@dataclass(frozen=True, kw_only=True, slots=True)
class StepTools:
    """What one model step could see; `new` is what no earlier step could."""

    step: int
    delivery: str
    tools: tuple[VisibleTool, ...]
    new: tuple[NewTool, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class LoadedTools:
    """The same tools, and the model steps that saw exactly them."""

    steps: tuple[int, ...]
    delivery: str
    tools: tuple[VisibleTool, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolsView:
    """All of a run: step by step, the different sets of tools, and the searches by the number of their step."""

    steps: tuple[StepTools, ...]
    loaded: tuple[LoadedTools, ...]
    searches: Mapping[int, Search]

    @property
    def searched(self) -> bool:
        """Whether the tools had to be searched for."""
        return any(step.delivery == SEARCHED for step in self.steps)

    @property
    def seen(self) -> tuple[VisibleTool, ...]:
        """Every tool that any step could see, once, in the order in which they came."""
        return tuple({tool: None for step in self.steps for tool in step.tools})


def tools_view(visible_tools: Sequence[VisibleTools], timeline: Sequence[Step]) -> ToolsView:
    """The view of a run's tools; where one of the sections is withheld, what the other tells."""
    searches = {s.step: _search(s) for s in timeline if isinstance(s, ToolStep) and is_search(s)}
    steps, seen = [], set[VisibleTool]()
    for visible in visible_tools:
        steps.append(_step(visible, seen, [s for s in searches.values() if s.step < visible.step]))
        seen.update(visible.tools)
    return ToolsView(steps=tuple(steps), loaded=_loaded(visible_tools), searches=searches)


def _step(visible: VisibleTools, seen: set[VisibleTool], searches: list[Search]) -> StepTools:
    new = [tool for tool in visible.tools if tool not in seen]
    return StepTools(
        step=visible.step,
        delivery=visible.delivery,
        tools=visible.tools,
        new=tuple(NewTool(tool=t, search=next((s for s in searches if t.name in s.found), None)) for t in new),
    )


def _search(step: ToolStep) -> Search:
    asked, answered = _document(step.arguments_parsed or ""), _document(shown(step.result))
    query = asked.get("query") if isinstance(asked, dict) else None
    tools = answered.get("tools") if isinstance(answered, dict) and step.outcome == "executed" else None
    names = [tool.get("name") for tool in tools if isinstance(tool, dict)] if isinstance(tools, list) else []
    return Search(
        step=step.step,
        query=query if isinstance(query, str) else None,
        found=tuple(name for name in names if isinstance(name, str)),
    )


def _document(text: str) -> Any:
    """The value of a JSON text; None for any other text: what a search is told and tells may be anything."""
    try:
        return read_strict(text.encode("utf-8", "surrogatepass"), allow_floats=True)
    except CanonicalError:
        return None


def _loaded(visible_tools: Sequence[VisibleTools]) -> tuple[LoadedTools, ...]:
    found: dict[tuple[str, tuple[VisibleTool, ...]], list[int]] = {}
    for visible in visible_tools:
        found.setdefault((visible.delivery, visible.tools), []).append(visible.step)
    return tuple(
        LoadedTools(steps=tuple(steps), delivery=delivery, tools=tools) for (delivery, tools), steps in found.items()
    )
