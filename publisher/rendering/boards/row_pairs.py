"""Which rows of a board are compared in pairs on a page: models that never stood in one batch, too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

from dataset.canonical import content_hash
from dataset.measures.comparability import foundations
from dataset.record import BatchId
from publisher.rendering.boards.board import Board, Row, RowId
from publisher.rendering.compare.matchup import ALL_PAIRS, Matchup, Side, matchups_of
from publisher.rendering.compare.measuring import counted
from publisher.rendering.compare.pairing import Pairing
from publisher.rendering.language.message import Message, Sayable
from publisher.rendering.page_names import below, board_page
from publisher.rendering.snapshot.snapshot import PublishedBatch

MOST_BESIDE = 8
"""Pairs of a large board's comparison whose runs stand side by side: those that came out differently, the first."""
Batches = Mapping[BatchId, PublishedBatch]


@dataclass(frozen=True, kw_only=True, slots=True)
class RowPair:
    """Two rows, the right one higher. `page` compares them; `own` says that it is a page of the board, not of their
    batch, and `in_batch` that their batch has one, too, and puts their runs side by side itself."""

    left: Row
    right: Row
    page: str
    own: bool
    in_batch: bool
    every: bool
    """Whether the board is so small that any two of its rows are compared."""

    @property
    def significant(self) -> bool:
        """Whether the order of the board says that they can be told apart."""
        return self.left.id not in self.right.tied_with


@dataclass(frozen=True, kw_only=True, slots=True)
class RowLinks:
    """The comparison of a row with the best, unless it is that, and with the next lower one, unless it is the last."""

    best: RowPair | None
    following: RowPair | None


@dataclass(frozen=True, kw_only=True, slots=True)
class RowPairs:
    """All pairs of a board that have a page, those with the best first; `links` are those of each row. `every` says
    that any two rows have one; `possible` is how many pairs there are."""

    pairs: tuple[RowPair, ...]
    links: Mapping[RowId, RowLinks]
    every: bool
    possible: int


def row_pairs(board: Board, batches: Batches) -> RowPairs:
    """The pairs of a board. Of few rows each stands against each other; of more, each against the best and the next
    lower one. Only rows with a rate are compared."""
    rows = [row for row in board.rows if row.bar is not None]
    places = range(len(rows))
    # A script that stands beside models is never called the best.
    best = next((place for place in places if not rows[place].model.synthetic), 0)
    every, compared = len(rows) <= ALL_PAIRS, _compared(board, batches)
    chosen = combinations(places, 2) if every else pairwise(places)
    wanted = dict.fromkeys([*((min(best, place), max(best, place)) for place in places if place != best), *chosen])
    pairs = {(high, low): _pair(board, rows[high], rows[low], compared, every=every) for high, low in wanted}
    return RowPairs(
        pairs=tuple(pairs.values()),
        links={
            row.id: RowLinks(
                best=pairs.get((min(best, place), max(best, place))), following=pairs.get((place, place + 1))
            )
            for place, row in enumerate(rows)
        },
        every=every,
        possible=len(rows) * (len(rows) - 1) // 2,
    )


def _compared(board: Board, batches: Batches) -> Mapping[frozenset[RowId], str]:
    """What the batches of a board compare themselves."""
    return {
        frozenset(RowId(batch_id=batch_id, model_key=side.model.key) for side in (one.left, one.right)): one.page
        for batch_id in board.batches
        for one in matchups_of(batches[batch_id]).models
    }


def _pair(board: Board, higher: Row, lower: Row, compared: Mapping[frozenset[RowId], str], *, every: bool) -> RowPair:
    """Of a board of one batch the order of models is that of its batch, and so is what its pages say of two."""
    page = compared.get(frozenset((higher.id, lower.id)))
    own = page is None or len(board.batches) > 1
    return RowPair(
        left=lower,
        right=higher,
        page=_page(board, higher, lower) if own or page is None else page,
        own=own,
        in_batch=page is not None,
        every=every,
    )


def _page(board: Board, one: Row, other: Row) -> str:
    """The same whichever stands higher. No key holds a dot; batches stand in it as the beginning of a hash, for a name
    may not be long."""
    ids = sorted([one.id, other.id], key=lambda row: (row.model_key, row.batch_id))
    digest = content_hash([[row.model_key, row.batch_id] for row in ids])[:8]
    pairs = below(board_page(board.slug), "pairs")
    return below(pairs, f"{ids[0].model_key}.{ids[1].model_key}.{digest}")


def rows_matchup(board: Board, pair: RowPair, batches: Batches) -> Matchup:
    """The comparison of two rows: paired as their places on the board are, by case, variant and repeat."""
    alike = pair.left.model.display_name == pair.right.model.display_name
    variants = tuple(variant.id for variant in board.definition.variants)
    return Matchup(
        kind="models",
        slug="",
        batch=batches[pair.right.batch_id],
        left=Side(name=_name(pair.left, alike=alike), model=pair.left.model, variants=variants),
        right=Side(name=_name(pair.right, alike=alike), model=pair.right.model, variants=variants),
        contrast=None,
        pairings=tuple(_pairings(board, pair, variants)),
        elsewhere=pair.page,
        board=board_page(board.slug),
    )


def _name(row: Row, *, alike: bool) -> str | Sayable:
    name = row.model.display_name
    return Message("%(model)s in batch %(batch)s", model=name, batch=row.batch_id) if alike else name


def _pairings(board: Board, pair: RowPair, variants: Sequence[str]) -> Iterator[Pairing]:
    left, right = (
        {(run.case_id, run.variant_id, run.repeat): run for run in row.runs} for row in (pair.left, pair.right)
    )
    for case in board.definition.cases:
        for variant in variants:
            for repeat in range(1, board.definition.template.repeats + 1):
                place = (case.id, variant, repeat)
                yield Pairing(
                    case_id=case.id,
                    left_variant=variant,
                    right_variant=variant,
                    repeat=repeat,
                    left=left.get(place),
                    right=right.get(place),
                )


def row_difference(board: Board, pair: RowPair, batches: Batches) -> tuple[str, str, str] | None:
    """The paired difference, right minus left, with the ends of its interval; None without enough pairs."""
    found = counted(rows_matchup(board, pair, batches))
    if found.difference is None or found.difference_low is None or found.difference_high is None:
        return None
    return found.difference, found.difference_low, found.difference_high


def beside_pairings(pair: RowPair, matchup: Matchup) -> tuple[Pairing, ...]:
    """The pairs of a comparison whose runs stand side by side on a page: all of them on a board of few rows."""
    whole = [pairing for pairing in matchup.pairings if pairing.whole]
    if pair.every:
        return tuple(whole)
    return tuple([pairing for pairing in whole if pairing.outcome in ("won", "lost")][:MOST_BESIDE])


def differing_foundations(pair: RowPair, batches: Batches) -> tuple[str, ...]:
    """What a rate can depend on, besides the model, that isn't the same in both batches."""
    left, right = (foundations(batches[row.batch_id].report.definition) for row in (pair.left, pair.right))
    return tuple(name for name in left if left[name] != right[name])


def latest_release(board: Board, batches: Batches) -> int:
    """The last release that changed anything of a board: brought a batch of it, or withdrew runs of one."""
    own = [batches[batch_id] for batch_id in (*board.batches, *board.withdrawn)]
    withdrawn = [withdrawal.release for batch in own for withdrawal in batch.report.withdrawals]
    return max(*(batch.release for batch in own), *withdrawn, 1)
