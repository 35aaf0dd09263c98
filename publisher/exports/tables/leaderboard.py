"""The leaderboard: one row a model and batch, on the board that it stands on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from publisher.exports.interface import ExportSource
from publisher.exports.tables.interface import Column, Table
from publisher.exports.tables.measures import measure_columns
from publisher.rendering.boards.board import Board, Row


@dataclass(frozen=True, kw_only=True, slots=True)
class RankedRow:
    """A row with its board, and the first and last place that the evidence leaves open; None without a valid run
    and where it stands alone."""

    board: Board
    row: Row
    first: int | None
    last: int | None


def ranked_rows(source: ExportSource) -> Iterator[RankedRow]:
    """Every row of every board, in the order of the page."""
    for board in source.boards:
        for row in board.rows:
            places = [int(place) for place in row.rank.split("–")] if row.rank else []
            yield RankedRow(
                board=board,
                row=row,
                first=places[0] if places else None,
                last=places[-1] if places else None,
            )


LEADERBOARD: Table[RankedRow] = Table(
    id="leaderboard",
    title="Leaderboard",
    description="One row for each model of each batch. Only rows of one board may be compared: they share template, "
    "bank and judge. A batch of which every run was withdrawn has no row.",
    key=("board", "batch_id", "model_key"),
    columns=(
        Column(
            name="board",
            kind="id",
            description="The board: rows of others can't be compared with it.",
            value=lambda r: r.board.anchor,
        ),
        Column(
            name="template_id",
            kind="id",
            description="The template of the board.",
            value=lambda r: r.board.definition.template.id,
        ),
        Column(
            name="template_version",
            kind="integer",
            description="Its version.",
            value=lambda r: r.board.definition.template.version,
        ),
        Column(
            name="bank_hash",
            kind="id",
            description="sha256 of the bank of questions.",
            value=lambda r: r.board.definition.bank_hash,
        ),
        Column(
            name="judge_version",
            kind="text",
            description="The judge of every run of the board.",
            value=lambda r: r.board.definition.judge_version,
        ),
        Column(
            name="rank_first",
            kind="integer",
            description="The best place that the evidence leaves open; none where a row stands alone.",
            value=lambda r: r.first,
        ),
        Column(name="rank_last", kind="integer", description="The worst of them.", value=lambda r: r.last),
        Column(name="batch_id", kind="id", description="The batch.", value=lambda r: r.row.batch_id),
        Column(
            name="model_key", kind="id", description="The model's key in its batch.", value=lambda r: r.row.model.key
        ),
        Column(
            name="model_name",
            kind="text",
            description="The model's name as the owner wrote it.",
            value=lambda r: r.row.model.display_name,
        ),
        Column(
            name="family",
            kind="text",
            description="The family that the owner counts it to.",
            value=lambda r: r.row.model.family,
        ),
        Column(name="provider", kind="text", description="Who serves it.", value=lambda r: r.row.model.provider),
        Column(
            name="tier",
            kind="id",
            description="flagship, balanced or value; empty where the owner gave none.",
            value=lambda r: r.row.model.tier,
        ),
        Column(
            name="synthetic",
            kind="boolean",
            description="Whether it is a script and no model.",
            value=lambda r: r.row.model.synthetic,
        ),
        Column(
            name="replay_of",
            kind="id",
            description="The batch that recorded the answers, where it wasn't this one.",
            value=lambda r: r.row.replay_of,
        ),
        *measure_columns(lambda r: r.row.measures),
    ),
    records=ranked_rows,
)
