"""The order of models or arms, each with the range of ranks that the evidence leaves open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dataset.artifacts.definition import FrozenModel
from dataset.measures.statistics.ranking import RankedEntry, Ranking
from publisher.projection.report import Report
from publisher.rendering.batches.group import Group


@dataclass(frozen=True, kw_only=True, slots=True)
class RankedRow:
    """One place in the order: the entry, the group it speaks of, and its range of ranks (`1`, `1–3`)."""

    entry: RankedEntry
    group: Group
    rank: str
    better_than: tuple[Group, ...]
    tied_with: tuple[Group, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class RankingView:
    """One order; `model` is whose arms it ranks, null for the models themselves."""

    ranking: Ranking
    model: FrozenModel | None
    rows: tuple[RankedRow, ...]


def ranking_views(report: Report, groups: Sequence[Group], wholes: Sequence[Group]) -> tuple[RankingView, ...]:
    """Every ranking of a report; `wholes` are the models over all their variants. None without statistics."""
    models = {model.key: model for model in report.definition.models}
    found = []
    for ranking in report.statistics.rankings if report.statistics else ():
        if ranking.model_key is None:
            ranked: dict[str, Group] = {group.model.key: group for group in wholes}
        else:
            ranked = {g.variant.id: g for g in groups if g.variant is not None and g.model.key == ranking.model_key}
        model = None if ranking.model_key is None else models[ranking.model_key]
        found.append(RankingView(ranking=ranking, model=model, rows=tuple(_rows(ranking, ranked))))
    return tuple(found)


def _rows(ranking: Ranking, ranked: dict[str, Group]) -> list[RankedRow]:
    return [
        RankedRow(
            entry=entry,
            group=ranked[entry.id],
            rank=entry.ranks,
            better_than=tuple(ranked[other] for other in entry.better_than),
            tied_with=tuple(ranked[other] for other in entry.tied_with),
        )
        for entry in ranking.entries
    ]
