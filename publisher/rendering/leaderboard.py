"""The leaderboard: one table per template, bank and judge, one row per model and batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from dataset.artifacts.definition import BatchDefinition, FrozenModel
from dataset.canonical import content_hash
from dataset.measures.comparability import board_key
from dataset.measures.group import GroupMeasures
from dataset.record import BatchId
from publisher.rendering.bars import Bar, pass_rate_bar
from publisher.rendering.snapshot import PublishedBatch

COLUMNS = ("cost", "latency-median", "steps-mean", "corrections")
"""Metrics beside pass rate and valid runs, in this order."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """One model in one batch. `rank` is the range of places that the intervals leave open; empty without a rate."""

    batch_id: BatchId
    model: FrozenModel
    measures: GroupMeasures
    bar: Bar | None
    rank: str
    replay_of: BatchId | None = None
    """The batch that the answers were recorded in, where they aren't this one's own."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Board:
    """One table. Only runs of the same template over the same bank, under the same judge, stand side by side; a batch
    of which every run was withdrawn is named under it in `withdrawn`, and has no row."""

    anchor: str
    definition: BatchDefinition
    batches: tuple[BatchId, ...]
    withdrawn: tuple[BatchId, ...]
    rows: tuple[Row, ...]


def boards(batches: Sequence[PublishedBatch]) -> tuple[Board, ...]:
    """Every table, by template id and version; rows by pass rate, highest first, unknown last. None for batches that
    are all withdrawn."""
    grouped: dict[tuple[str, ...], list[PublishedBatch]] = {}
    for batch in batches:
        grouped.setdefault(board_key(batch.report.definition), []).append(batch)
    found = [_board(group) for group in grouped.values() if not all(batch.withdrawn for batch in group)]
    return tuple(sorted(found, key=lambda b: (b.definition.template.id, b.definition.template.version, b.anchor)))


def _board(group: Sequence[PublishedBatch]) -> Board:
    definition = group[0].report.definition
    standing = [batch for batch in group if not batch.withdrawn]
    unranked = [
        (batch.report, model, batch.report.models[model.key])
        for batch in standing
        for model in batch.report.definition.models
    ]
    unranked.sort(key=lambda row: (_descending(row[2].metrics["pass-rate"]), row[1].key, row[0].batch_id))
    everyone = [measures for _, _, measures in unranked]
    return Board(
        anchor=f"board-{content_hash(list(board_key(definition)))[:16]}",
        definition=definition,
        batches=tuple(batch.report.batch_id for batch in standing),
        withdrawn=tuple(batch.report.batch_id for batch in group if batch.withdrawn),
        rows=tuple(
            Row(
                batch_id=report.batch_id,
                model=model,
                measures=measures,
                bar=pass_rate_bar(measures),
                rank=rank_range(measures, everyone),
                replay_of=report.replay_of,
            )
            for report, model, measures in unranked
        ),
    )


def _descending(rate: str | None) -> Decimal:
    return -Decimal(rate) if rate is not None else Decimal(1)


def rank_range(measures: GroupMeasures, everyone: Sequence[GroupMeasures]) -> str:
    """The places that are left open for one group: only one whose whole interval lies higher stands surely before it.

    `1`, `1–3`, or nothing without a valid run.
    """
    if measures.pass_rate_low is None or measures.pass_rate_high is None:
        return ""
    low, high = Decimal(measures.pass_rate_low), Decimal(measures.pass_rate_high)
    rated = [other for other in everyone if other.pass_rate_low is not None and other.pass_rate_high is not None]
    before = sum(1 for other in rated if Decimal(other.pass_rate_low or 0) > high)
    after = sum(1 for other in rated if Decimal(other.pass_rate_high or 0) < low)
    first, last = before + 1, len(rated) - after
    return str(first) if first == last else f"{first}–{last}"
