"""The leaderboard: one table per template, bank and judge, one row per model and batch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal

from dataset.artifacts.definition import BatchDefinition, FrozenModel, Weights
from dataset.canonical import content_hash
from dataset.measures.comparability import board_key
from dataset.measures.group import GroupMeasures, measure_group
from dataset.measures.run_facts import RunFacts
from dataset.measures.statistics.ranking import Outcomes, RankedEntry, Ranking, measure_ranking
from dataset.record import BatchId
from publisher.projection.report import Report
from publisher.rendering.bars import Bar, pass_rate_bar
from publisher.rendering.snapshot.snapshot import PublishedBatch
from publisher.rendering.snapshot.weights import stated_weights

_MOST_ROWS_TESTED = 60


@dataclass(frozen=True, kw_only=True, slots=True)
class RowId:
    """Whose row: one model in one batch."""

    batch_id: BatchId
    model_key: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """One model in one batch, with its runs that count.

    `rank` is the range of places that the evidence leaves open (`1`, `1–3`); empty without a rate, and where the row
    stands alone. `tied_with` are those that it can't be told apart from, by pass rate.
    """

    batch_id: BatchId
    model: FrozenModel
    measures: GroupMeasures
    bar: Bar | None
    rank: str
    replay_of: BatchId | None = None
    """The batch that the answers were recorded in, where they aren't this one's own."""
    release: int = 0
    """The release that brought the batch."""
    runs: tuple[RunFacts, ...] = field(default=(), repr=False)
    tied_with: tuple[RowId, ...] = ()

    @property
    def id(self) -> RowId:
        """Its model and batch."""
        return RowId(batch_id=self.batch_id, model_key=self.model.key)


@dataclass(frozen=True, kw_only=True, slots=True)
class Board:
    """One table. Only runs of the same template over the same bank, under the same judge, stand side by side; a batch
    of which every run was withdrawn is named under it in `withdrawn`, and has no row.

    `comparisons` is how many pairs of rows there are, none where they are too many to be tested, and `tested` how many
    of them share enough cases for a test.
    """

    anchor: str
    definition: BatchDefinition
    batches: tuple[BatchId, ...]
    withdrawn: tuple[BatchId, ...]
    rows: tuple[Row, ...]
    comparisons: int = 0
    tested: int = 0

    @property
    def slug(self) -> str:
        """What its pages are called; the same for as long as it has this template, bank and judge."""
        template = self.definition.template
        return f"{template.id}-{template.version}-{self.anchor.removeprefix('board-')[:8]}"

    def over(self, wanted: Callable[[RunFacts], bool], planned: int) -> Board:
        """The board over some of the runs alone, of which so many were planned for each model: every number of it is
        measured again. So are their places, but of so many rows that testing all pairs would take seconds."""
        rows = []
        for row in self.rows:
            runs = tuple(run for run in row.runs if wanted(run))
            measures = measure_group(planned, runs)
            rows.append(replace(row, runs=runs, measures=measures, bar=pass_rate_bar(measures)))
        part = replace(self, rows=_by_rate(rows))
        if len(rows) > _MOST_ROWS_TESTED:
            untested = tuple(replace(row, rank="", tied_with=()) for row in part.rows)
            return replace(part, rows=untested, comparisons=0, tested=0)
        return _ranked(part, None)


def boards(batches: Sequence[PublishedBatch]) -> tuple[Board, ...]:
    """Every table, by template id and version; rows by pass rate, highest first, unknown last. None for batches that
    are all withdrawn."""
    groups = [group for group in _groups(batches) if not all(batch.withdrawn for batch in group)]
    weights = stated_weights(batches)
    return _in_order([_stating(_ranked_board(group), weights) for group in groups])


def _stating(board: Board, weights: Mapping[str, Weights]) -> Board:
    """The board with what was stated last of the weights of each model."""
    rows = [
        replace(row, model=row.model.model_copy(update={"weights": weights.get(row.model.key)})) for row in board.rows
    ]
    return replace(board, rows=tuple(rows))


def withdrawn_boards(batches: Sequence[PublishedBatch]) -> tuple[Board, ...]:
    """The boards of which every batch was withdrawn: without a row, in the same order."""
    groups = [group for group in _groups(batches) if all(batch.withdrawn for batch in group)]
    return _in_order([_board(group, []) for group in groups])


def _groups(batches: Sequence[PublishedBatch]) -> list[list[PublishedBatch]]:
    grouped: dict[tuple[str, ...], list[PublishedBatch]] = {}
    for batch in batches:
        grouped.setdefault(board_key(batch.report.definition), []).append(batch)
    return list(grouped.values())


def _in_order(found: Sequence[Board]) -> tuple[Board, ...]:
    return tuple(sorted(found, key=lambda b: (b.definition.template.id, b.definition.template.version, b.anchor)))


def _ranked_board(group: Sequence[PublishedBatch]) -> Board:
    standing = [batch for batch in group if not batch.withdrawn]
    return _ranked(_board(group, standing), standing[0].report if len(standing) == 1 else None)


def _board(group: Sequence[PublishedBatch], standing: Sequence[PublishedBatch]) -> Board:
    definition = group[0].report.definition
    return Board(
        anchor=f"board-{content_hash(list(board_key(definition)))[:16]}",
        definition=definition,
        batches=tuple(batch.report.batch_id for batch in standing),
        withdrawn=tuple(batch.report.batch_id for batch in group if batch.withdrawn),
        rows=_by_rate([row for batch in standing for row in _rows(batch)]),
    )


def _rows(batch: PublishedBatch) -> list[Row]:
    report = batch.report
    runs: dict[str, list[RunFacts]] = {model.key: [] for model in report.definition.models}
    for run in report.runs:
        runs[run.model_key].append(run)
    return [
        Row(
            batch_id=report.batch_id,
            model=model,
            measures=report.models[model.key],
            bar=pass_rate_bar(report.models[model.key]),
            rank="",
            replay_of=report.replay_of,
            release=batch.release,
            runs=tuple(runs[model.key]),
        )
        for model in report.definition.models
    ]


def _by_rate(rows: Sequence[Row]) -> tuple[Row, ...]:
    return tuple(sorted(rows, key=lambda row: (_falling(row.measures), row.model.key, row.batch_id)))


def _falling(measures: GroupMeasures) -> Decimal:
    rate = measures.metrics["pass-rate"]
    return -Decimal(rate) if rate is not None else Decimal(1)


def _ranked(board: Board, report: Report | None) -> Board:
    """The board with the place of each row. Those of a single batch stand in its report, where that has statistics."""
    if len(board.rows) < 2:
        alone = tuple(replace(row, rank="", tied_with=()) for row in board.rows)
        return replace(board, rows=alone, comparisons=0, tested=0)
    told = report.statistics.rankings if report is not None and report.statistics is not None else ()
    keys = {row.model.key for row in board.rows}
    of_models = next((found for found in told if found.of == "models" and {e.id for e in found.entries} == keys), None)
    if of_models is None:
        ids = {f"row-{number}": row.id for number, row in enumerate(board.rows)}
        ranking = _measured(board.rows)
    else:
        ids, ranking = {row.model.key: row.id for row in board.rows}, of_models
    entries = {ids[entry.id]: entry for entry in ranking.entries}
    return replace(
        board,
        rows=tuple(_placed(row, entries[row.id], ids) for row in board.rows),
        comparisons=ranking.comparisons,
        tested=ranking.tested,
    )


def _measured(rows: Sequence[Row]) -> Ranking:
    outcomes: dict[str, Outcomes] = {
        f"row-{number}": {
            (run.case_id, run.variant_id, str(run.repeat)): run.verdict == "pass"
            for run in row.runs
            if run.verdict != "invalid"
        }
        for number, row in enumerate(rows)
    }
    return measure_ranking(outcomes, of="models", model_key=None)


def _placed(row: Row, entry: RankedEntry, ids: dict[str, RowId]) -> Row:
    if row.bar is None:
        return replace(row, rank="", tied_with=())
    return replace(row, rank=entry.ranks, tied_with=tuple(ids[other] for other in entry.tied_with))
