"""What the page of one tool shows: its versions, who called it, and the calls that were refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from dataset.measures.run_facts import RunFacts
from publisher.rendering.codes.code_page import runs_listed
from publisher.rendering.gathered import Gathered, ToolRun

MOST_REFUSALS = 100
"""Refused calls that a page lists."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Refusal:
    """One refused call."""

    run: RunFacts
    step: int
    code: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolByModel:
    """One model's use of a tool: in how many runs it could see it, how many called it, and how calls ended."""

    model_key: str
    seen: int
    called: int
    executed: int
    refused: int
    runs: tuple[ToolRun, ...]
    """Runs that called it, the first of them."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolView:
    """The page of one tool."""

    name: str
    versions: tuple[tuple[int, str], ...]
    """Version and schema hash, oldest first."""
    models: tuple[ToolByModel, ...]
    refusals: tuple[Refusal, ...]
    refused: int

    @property
    def executed(self) -> int:
        """Calls that were answered."""
        return sum(model.executed for model in self.models)


def tool_views(gathered: Gathered) -> tuple[ToolView, ...]:
    """A view for every tool that a run could see, by name."""
    return tuple(_view(name, gathered.tools[name]) for name in sorted(gathered.tools))


def _view(name: str, runs: Sequence[ToolRun]) -> ToolView:
    refusals = [Refusal(run=found.run, step=step, code=code) for found in runs for step, code in found.seen.refused]
    by_model: dict[str, list[ToolRun]] = {}
    for found in runs:
        by_model.setdefault(found.run.model_key, []).append(found)
    return ToolView(
        name=name,
        versions=tuple(sorted({(found.seen.version, found.seen.schema_hash) for found in runs})),
        models=tuple(_by_model(key, by_model[key], runs_listed(len(by_model))) for key in sorted(by_model)),
        refusals=tuple(islice(refusals, MOST_REFUSALS)),
        refused=len(refusals),
    )


def _by_model(key: str, runs: Sequence[ToolRun], most: int) -> ToolByModel:
    calling = [found for found in runs if found.seen.executed or found.seen.refused]
    return ToolByModel(
        model_key=key,
        seen=len(runs),
        called=len(calling),
        executed=sum(found.seen.executed for found in runs),
        refused=sum(len(found.seen.refused) for found in runs),
        runs=tuple(calling[:most]),
    )
