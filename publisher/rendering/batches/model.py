"""What the pages of one model in a batch show: its groups, why runs failed, and every verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from publisher.rendering.batches.contrasts import ContrastPart
from publisher.rendering.batches.ranking import RankingView
from publisher.rendering.batches.spread import Spread, spread_of
from publisher.rendering.batches.view import CELLS_A_PAGE, BatchView, MatrixRow, ModelPart, matrix_rows
from publisher.rendering.page_names import batch_model_page, numbered


@dataclass(frozen=True, kw_only=True, slots=True)
class BatchModelView:
    """One model in a batch. What a batch's own page has no room for stands here: `contrasts`, `rankings` and `spread`
    are empty where it has it."""

    batch: BatchView
    part: ModelPart
    contrasts: tuple[ContrastPart, ...]
    rankings: tuple[RankingView, ...]
    spread: Spread | None


@dataclass(frozen=True, kw_only=True, slots=True)
class VerdictsPart:
    """One of the pages of a model in a batch: some of its cases."""

    name: str
    number: int
    rows: tuple[MatrixRow, ...]


def batch_model_view(batch: BatchView, part: ModelPart) -> BatchModelView:
    """The view of one model."""
    crowded = batch.crowded
    return BatchModelView(
        batch=batch,
        part=part,
        contrasts=tuple(_own(batch.contrasts, part)) if crowded else (),
        rankings=tuple(r for r in batch.rankings if r.model is not None and r.model.key == part.model.key)
        if crowded
        else (),
        spread=spread_of(batch.report, part.rows) if crowded else None,
    )


def verdicts_parts(batch: BatchView, part: ModelPart) -> tuple[VerdictsPart, ...]:
    """The pages of one model: whole cases together, some hundred verdicts on each."""
    cells = max(1, len(part.groups) * batch.report.definition.template.repeats)
    cases = max(1, CELLS_A_PAGE // cells)
    rows = matrix_rows(batch.report, part.groups)
    page = batch_model_page(batch.report.batch_id, part.model.key)
    return tuple(
        VerdictsPart(
            name=numbered(page, number),
            number=number,
            rows=rows[start : start + cases],
        )
        for number, start in enumerate(range(0, max(1, len(rows)), cases), start=1)
    )


def _own(parts: Sequence[ContrastPart], part: ModelPart) -> list[ContrastPart]:
    return [
        replace(found, comparisons=tuple(c for c in found.comparisons if c.model.key == part.model.key))
        for found in parts
    ]
