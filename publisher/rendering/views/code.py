"""What the page of one code shows: what it says, and the runs that recorded it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from publisher.rendering.codes.registry import CODE_BY_ID, GROUPS, Code, CodeGroup
from publisher.rendering.pages.gathered import Gathered, Sighting

MOST_RUNS = 100
"""Runs that a page lists for a model; the pages of batches list all."""
MOST_ON_A_PAGE = 1_000
"""Runs that a page lists in all, shared among its models: it stays light whatever a release holds."""
UNKNOWN_GROUP = "Codes that this version doesn't know"


@dataclass(frozen=True, kw_only=True, slots=True)
class CodeByModel:
    """One model's runs with a code: all of them counted, the first listed."""

    model_key: str
    count: int
    sightings: tuple[Sighting, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class CodeView:
    """The page of one code. `code` is null where the registry doesn't know it: a snapshot may be older or newer."""

    id: str
    code: Code | None
    count: int
    models: tuple[CodeByModel, ...]
    example: Sighting | None


@dataclass(frozen=True, kw_only=True, slots=True)
class CodeGroupView:
    """Codes of one group, as the list of all shows them."""

    title: str
    codes: tuple[CodeView, ...]


def code_views(gathered: Gathered) -> tuple[CodeView, ...]:
    """A view for every known code and every code seen."""
    return tuple(_view(code, gathered.codes.get(code, ())) for code in {**CODE_BY_ID, **gathered.codes})


def grouped_codes(views: Sequence[CodeView]) -> tuple[CodeGroupView, ...]:
    """The views by group, in the order of the registry; unknown codes last."""
    by_group: dict[CodeGroup | None, list[CodeView]] = {}
    for view in views:
        by_group.setdefault(view.code.group if view.code else None, []).append(view)
    titles: list[tuple[CodeGroup | None, str]] = [*GROUPS.items(), (None, UNKNOWN_GROUP)]
    return tuple(
        CodeGroupView(title=title, codes=tuple(by_group[group])) for group, title in titles if group in by_group
    )


def runs_listed(models: int) -> int:
    """How many runs a page lists for each of so many models."""
    return max(1, min(MOST_RUNS, MOST_ON_A_PAGE // max(models, 1)))


def _view(code: str, sightings: Sequence[Sighting]) -> CodeView:
    by_model: dict[str, list[Sighting]] = {}
    for sighting in sightings:
        by_model.setdefault(sighting.run.model_key, []).append(sighting)
    most = runs_listed(len(by_model))
    return CodeView(
        id=code,
        code=CODE_BY_ID.get(code),
        count=len(sightings),
        models=tuple(
            CodeByModel(model_key=key, count=len(found), sightings=tuple(found[:most]))
            for key, found in sorted(by_model.items(), key=lambda entry: (-len(entry[1]), entry[0]))
        ),
        example=next((s for s in sightings if s.seen.why), sightings[0] if sightings else None),
    )
