"""What the page of one tool shows: its versions, who called it, and the calls that were refused."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from dataset.measures.run_facts import RunFacts
from publisher.rendering.pages.gathered import Gathered, ToolRun
from publisher.rendering.views.code import runs_listed

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
class ToolSchema:
    """A schema that models were shown, with the languages of the variants that showed it: descriptions are in the
    language that a model is asked in, so that one version has a schema, and a hash, for each."""

    version: int
    schema_hash: str
    locales: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolView:
    """The page of one tool."""

    name: str
    schemas: tuple[ToolSchema, ...]
    """Oldest version first."""
    models: tuple[ToolByModel, ...]
    refusals: tuple[Refusal, ...]
    refused: int

    @property
    def executed(self) -> int:
        """Calls that were answered."""
        return sum(model.executed for model in self.models)

    @property
    def changed(self) -> bool:
        """Whether one version has several schemas in one language: then it was changed without a new version."""
        told = [(schema.version, locale) for schema in self.schemas for locale in schema.locales]
        return len(set(told)) < len(told)


def tool_views(gathered: Gathered, locales: Mapping[str, str]) -> tuple[ToolView, ...]:
    """A view for every tool that a run could see, by name; `locales` are the languages that runs were asked in, by run
    id."""
    return tuple(_view(name, gathered.tools[name], locales) for name in sorted(gathered.tools))


def _schemas(runs: Sequence[ToolRun], locales: Mapping[str, str]) -> Iterator[ToolSchema]:
    shown: dict[tuple[int, str], set[str]] = {}
    for found in runs:
        shown.setdefault((found.seen.version, found.seen.schema_hash), set()).add(locales[found.run.run_id])
    entries = [(version, tuple(sorted(told)), schema_hash) for (version, schema_hash), told in shown.items()]
    for version, told, schema_hash in sorted(entries):
        yield ToolSchema(version=version, schema_hash=schema_hash, locales=told)


def _view(name: str, runs: Sequence[ToolRun], locales: Mapping[str, str]) -> ToolView:
    refusals = [Refusal(run=found.run, step=step, code=code) for found in runs for step, code in found.seen.refused]
    by_model: dict[str, list[ToolRun]] = {}
    for found in runs:
        by_model.setdefault(found.run.model_key, []).append(found)
    return ToolView(
        name=name,
        schemas=tuple(_schemas(runs, locales)),
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
