"""One row a case of every batch."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from dataset.artifacts.definition import FrozenCase
from dataset.questions.question import Question
from publisher.exports.interface import ExportSource
from publisher.exports.tables.interface import Cell, Column, Table
from publisher.projection.report import PublicCase
from publisher.rendering.snapshot.snapshot import PublishedBatch


@dataclass(frozen=True, kw_only=True, slots=True)
class BatchCase:
    """A case with its batch."""

    batch: PublishedBatch
    frozen: FrozenCase
    case: PublicCase


def batch_cases(source: ExportSource) -> Iterator[BatchCase]:
    """Every case, by batch and then in the order of its definition."""
    for batch in source.snapshot.batches:
        for frozen, case in zip(batch.report.definition.cases, batch.report.cases, strict=True):
            yield BatchCase(batch=batch, frozen=frozen, case=case)


def _public(value: Callable[[Question], Cell]) -> Callable[[BatchCase], Cell]:
    """What the question says; nothing where it is withheld."""
    return lambda record: value(record.case.question) if record.case.question is not None else None


CASES: Table[BatchCase] = Table(
    id="cases",
    title="Cases",
    description="One row for each case of each batch. Where a question is withheld, what it says is empty.",
    key=("batch_id", "case_id"),
    columns=(
        Column(name="batch_id", kind="id", description="The batch.", value=lambda r: r.batch.report.batch_id),
        Column(
            name="release", kind="integer", description="The release that brought it.", value=lambda r: r.batch.release
        ),
        Column(name="case_id", kind="id", description="The case.", value=lambda r: r.frozen.id),
        Column(
            name="version", kind="integer", description="The version of its question.", value=lambda r: r.frozen.version
        ),
        Column(name="question_hash", kind="id", description="sha256 of the question.", value=lambda r: r.frozen.hash),
        Column(
            name="gold_version",
            kind="integer",
            description="The version of its gold.",
            value=lambda r: r.frozen.gold_version,
        ),
        Column(name="gold_hash", kind="id", description="sha256 of the gold.", value=lambda r: r.frozen.gold_hash),
        Column(
            name="question_withheld",
            kind="boolean",
            description="Whether the question is withheld now.",
            value=lambda r: r.case.question is None,
        ),
        Column(
            name="gold_withheld",
            kind="boolean",
            description="Whether the gold is.",
            value=lambda r: r.case.gold is None,
        ),
        Column(
            name="withheld",
            kind="list",
            description="Every part of its runs that is withheld now.",
            value=lambda r: r.batch.report.withheld(r.frozen.id),
        ),
        Column(name="category", kind="id", description="What the case tests.", value=_public(lambda q: q.category)),
        Column(name="scene", kind="text", description="The scene that it plays in.", value=_public(lambda q: q.scene)),
        Column(
            name="login_state",
            kind="text",
            description="The login state of who asks.",
            value=_public(lambda q: q.login_state),
        ),
        Column(name="title_en", kind="text", description="Its title in English.", value=_public(lambda q: q.title.en)),
        Column(name="title_zh", kind="text", description="Its title in Chinese.", value=_public(lambda q: q.title.zh)),
    ),
    records=batch_cases,
)
