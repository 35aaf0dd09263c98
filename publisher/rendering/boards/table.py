"""A table of the leaderboard: its heads, its rows with all figures, and what a reader may choose rows by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from dataset.artifacts.definition import FrozenModel
from dataset.measures.failing import failing_runs
from dataset.measures.metric import Metric
from dataset.measures.run_facts import WITHDRAWN
from publisher.rendering.boards.board import Row, RowId
from publisher.rendering.boards.columns import COLUMNS, OPTIONAL, Column
from publisher.rendering.boards.row_pairs import RowLinks
from publisher.rendering.figures import Figure
from publisher.rendering.language.message import Message, Sayable, marked
from publisher.rendering.page_names import batch_model_page, below

_REASONS = 4
"""So many kinds of failure stand in a row; the page of the batch has all, with their runs."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Head:
    """The head of one column. It leads to the page where its order is rendered, or nowhere without one; `sorted` says
    that the table is in its order, and which way that runs."""

    key: str
    metric: Metric
    optional: bool
    page: str
    sorted: Literal["ascending", "descending"] | None


@dataclass(frozen=True, kw_only=True, slots=True)
class RowView:
    """One row. `place` leads to its runs, `links` to its comparisons with other rows, or `pairs` to where they are
    listed. `failing` are the kinds of failure that most runs show, `unnamed` how many further kinds there are;
    `invalid` why runs are invalid; `chosen` its value for each choice by name."""

    row: Row
    place: str
    figures: tuple[Figure, ...]
    failing: tuple[tuple[str, int], ...]
    unnamed: int
    invalid: tuple[tuple[str, int], ...]
    withdrawn: int
    chosen: tuple[tuple[str, str], ...]
    links: RowLinks | None
    pairs: str


@dataclass(frozen=True, kw_only=True, slots=True)
class TableView:
    """One table. `more` rows stand elsewhere; a script sorts and chooses only where there are none."""

    id: str
    heads: tuple[Head, ...]
    rows: tuple[RowView, ...]
    more: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Choice:
    """One thing to choose rows by: its values in their order, each with its words."""

    key: str
    title: str
    values: tuple[tuple[str, str | Sayable], ...]


NOT_STATED = "-"
_TIERS = {"flagship": marked("flagship"), "balanced": marked("balanced"), "value": marked("value")}
_WEIGHTS = {"open": marked("open weights"), "closed": marked("closed weights")}


def choices_of(rows: Sequence[Row]) -> tuple[Choice, ...]:
    """What the rows of a page can be chosen by: only what tells any two of them apart."""
    families = sorted({row.model.family for row in rows})
    releases = sorted({row.release for row in rows}, reverse=True)
    tiers = [tier for tier in (*_TIERS, None) if any(row.model.tier == tier for row in rows)]
    weights = [found for found in (*_WEIGHTS, None) if any(row.model.weights == found for row in rows)]
    found = (
        Choice(key="family", title=marked("Family"), values=tuple((family, family) for family in families)),
        Choice(key="tier", title=marked("Tier"), values=tuple(_worded(tiers, _TIERS))),
        Choice(key="weights", title=marked("Weights"), values=tuple(_worded(weights, _WEIGHTS))),
        Choice(
            key="release",
            title=marked("Release"),
            values=tuple((str(number), Message("release %(number)s", number=number)) for number in releases),
        ),
    )
    return tuple(choice for choice in found if len(choice.values) > 1)


def described(model: FrozenModel) -> tuple[str | Message, ...]:
    """What is known of a model beside its name: family, tier, weights."""
    known = [model.tier and _TIERS[model.tier], model.weights and _WEIGHTS[model.weights]]
    return (model.family, *(Message(words) for words in known if words))


def _worded(values: Sequence[str | None], words: Mapping[str, str]) -> list[tuple[str, Message]]:
    return [(v, Message(words[v])) if v is not None else (NOT_STATED, Message("not stated")) for v in values]


def table_of(
    anchor: str,
    rows: Sequence[Row],
    choices: Sequence[Choice],
    heads: Sequence[Head],
    *,
    more: int = 0,
    links: Mapping[RowId, RowLinks | str] = MappingProxyType({}),
) -> TableView:
    """A table of some rows in their order; `anchor` is its id on the page, `links` the comparisons of rows, or where
    they are listed."""
    keys = [choice.key for choice in choices]
    shown = tuple(row_view(row, keys, links.get(row.id, "")) for row in rows)
    return TableView(id=anchor, heads=tuple(heads), rows=shown, more=more)


def heads_of(board_page: str, by: Column | None) -> tuple[Head, ...]:
    """The heads of a table in the order of a column. `board_page` is the page of the board in its first order, whose
    other orders stand below it; empty where there are none."""
    return tuple(
        Head(
            key=column.key,
            metric=column.metric,
            optional=column in OPTIONAL,
            page=order_page(board_page, column) if board_page else "",
            sorted=None if column is not by else "descending" if column.falling else "ascending",
        )
        for column in COLUMNS
    )


def order_page(board_page: str, column: Column) -> str:
    """The page where a board stands in the order of a column."""
    if column is COLUMNS[0]:
        return board_page
    return below(board_page, f"by-{column.key}")


def row_view(row: Row, choices: Sequence[str], links: RowLinks | str) -> RowView:
    """A row with what it is chosen by, and where it leads to."""
    model = row.model
    told = {
        "family": model.family,
        "tier": model.tier or NOT_STATED,
        "weights": model.weights or NOT_STATED,
        "release": str(row.release),
    }
    failing = tuple(failing_runs(row.runs).items())
    invalid = Counter(run.invalid_reason or "unknown" for run in row.runs if run.verdict == "invalid")
    return RowView(
        row=row,
        place=batch_model_page(row.batch_id, model.key),
        figures=tuple(column.figure(row) for column in COLUMNS),
        failing=failing[:_REASONS],
        unnamed=len(failing[_REASONS:]),
        invalid=tuple(sorted(invalid.items())),
        withdrawn=invalid.get(WITHDRAWN, 0),
        chosen=tuple((key, told[key]) for key in choices),
        links=None if isinstance(links, str) else links,
        pairs=links if isinstance(links, str) else "",
    )
