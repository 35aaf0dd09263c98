"""The pages of two runs side by side: one for each pair that a comparison leads to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from dataset.artifacts.disclosure import Disclosed
from dataset.artifacts.withdrawn import Withdrawn
from dataset.measures.run_facts import RunFacts
from publisher.rendering.boards.board import Board
from publisher.rendering.boards.row_pairs import beside_pairings, row_pairs, rows_matchup
from publisher.rendering.building.content_key import content_key
from publisher.rendering.compare.argument_difference import MOST_SHOWN
from publisher.rendering.compare.assertions import MOST_ROWS
from publisher.rendering.compare.beside import Place, RunSide, beside_view
from publisher.rendering.compare.matchup import Matchup, matchups_of
from publisher.rendering.compare.pairing import Pairing
from publisher.rendering.page_names import beside_page
from publisher.rendering.pages.interface import JobFamily, Made, Page, SiteSource
from publisher.rendering.snapshot.replay import Source, source_of
from publisher.rendering.snapshot.snapshot import PublishedBatch

_PAIRS = 8
"""So many pairs are one job: each run stands in about three pairs, and a job reads it once."""

Places = Sequence[tuple[Place, Pairing]]


@dataclass(frozen=True, kw_only=True, slots=True)
class BesideJob:
    """A few pairs of one case, each with every place that it has in a comparison. The batches are that of all left runs
    and that of all right ones: only rows of a board are of two."""

    batches: tuple[PublishedBatch, PublishedBatch]
    pairs: Sequence[Places]

    @property
    def release(self) -> int:
        """The one that brought the later of both."""
        return max(batch.release for batch in self.batches)


def _jobs(source: SiteSource) -> Sequence[BesideJob]:
    """Every pair once, whichever comparisons hold it."""
    of_batches = [job for batch in source.snapshot.batches for job in _of_batch(batch)]
    return [*of_batches, *(job for board in source.boards for job in _of_board(source, board))]


def _of_board(source: SiteSource, board: Board) -> Iterator[BesideJob]:
    """What no batch compares itself."""
    batches = source.batches
    for pair in row_pairs(board, batches).pairs:
        if not pair.own or pair.in_batch:
            continue
        matchup = rows_matchup(board, pair, batches)
        shown = replace(matchup, pairings=beside_pairings(pair, matchup))
        places = list(places_of([shown]).values())
        for start in range(0, len(places), _PAIRS):
            yield BesideJob(
                batches=(batches[pair.left.batch_id], batches[pair.right.batch_id]),
                pairs=places[start : start + _PAIRS],
            )


def _of_batch(batch: PublishedBatch) -> Iterator[BesideJob]:
    definition = batch.report.definition
    cases: dict[str, int] = {case.id: number for number, case in enumerate(definition.cases)}
    models = {model.key: number for number, model in enumerate(definition.models)}

    def order(places: Places) -> tuple[int, int]:
        place, pairing = places[0]
        return cases[pairing.case_id], models[place.matchup.left.model.key]

    pairs = sorted(places_of(matchups_of(batch).all).values(), key=order)
    for _, of_case in groupby(pairs, key=lambda places: order(places)[0]):
        found = list(of_case)
        for start in range(0, len(found), _PAIRS):
            yield BesideJob(batches=(batch, batch), pairs=found[start : start + _PAIRS])


def _made(source: SiteSource, job: BesideJob) -> Iterator[Made]:
    opened: dict[str, Disclosed | Withdrawn] = {}

    def side(facts: RunFacts | None, variant_id: str, place: Place, *, left: bool) -> RunSide:
        assert facts is not None, "a pair is whole"
        if facts.run_id not in opened:
            opened[facts.run_id] = source.snapshot.run(job.batches[0 if left else 1], facts)[0]
        own = place.matchup.left if left else place.matchup.right
        return RunSide(left=left, side=own, variant_id=variant_id, facts=facts, opened=opened[facts.run_id])

    for places in job.pairs:
        place, pairing = places[0]
        one = side(pairing.left, pairing.left_variant, place, left=True)
        other = side(pairing.right, pairing.right_variant, place, left=False)
        content = {
            "beside": beside_view(pairing, [place for place, _ in places], one, other),
            "beside_page": beside_page,
            "most_values": MOST_SHOWN,
            "most_checks": MOST_ROWS,
            "replays": _replays(source, job),
        }
        name = beside_page(one.facts.run_id, other.facts.run_id)
        yield Page(name=name, template="beside.html", content=content, release=job.release)


def _replays(source: SiteSource, job: BesideJob) -> Sequence[Source]:
    """Where answers were replayed from, each once."""
    found = (source_of(batch.report, source.reports) for batch in job.batches)
    return list(dict.fromkeys(one for one in found if one is not None))


def _key(source: SiteSource, job: BesideJob) -> str:
    """The files of the runs, what their reports say of their cases, and where each pair stands."""
    pairings = [places[0][1] for places in job.pairs]
    runs = {run.run_id: run for pairing in pairings for run in _runs(pairing)}
    cases = dict.fromkeys(pairing.case_id for pairing in pairings)
    reports = {batch.report.batch_id: batch.report for batch in job.batches}.values()
    return content_key(
        [(source.run_sha256(run_id), run) for run_id, run in runs.items()],
        [[report.withdrawn.get(run_id) for run_id in runs] for report in reports],
        [report.definition_hash for report in reports],
        [[(report.cases_by_id[case_id], report.withheld(case_id)) for case_id in cases] for report in reports],
        [[_told(place) for place, _ in places] for places in job.pairs],
        [[pairing for _, pairing in places] for places in job.pairs],
        _replays(source, job),
        source.logged_at(job.release),
    )


def _told(place: Place) -> object:
    """The place, without the batch that its comparison belongs to: the definition and the pairs say all of it."""
    matchup = place.matchup
    arms = [(side.name, side.model.key, side.variants) for side in (matchup.left, matchup.right)]
    return matchup.page, matchup.board, arms, place.number, place.count, _pair(place.previous), _pair(place.following)


def _pair(pairing: Pairing | None) -> object:
    return pairing and (pairing.case_id, [run.run_id for run in _runs(pairing)])


def _runs(pairing: Pairing) -> Iterator[RunFacts]:
    yield from (run for run in (pairing.left, pairing.right) if run is not None)


def places_of(matchups: Sequence[Matchup]) -> Mapping[tuple[str, str], list[tuple[Place, Pairing]]]:
    """By their run ids, all pairs of whole comparisons, each with every place that it has in one."""
    places: dict[tuple[str, str], list[tuple[Place, Pairing]]] = {}
    for matchup in matchups:
        whole = [pairing for pairing in matchup.pairings if pairing.whole]
        for at, pairing in enumerate(whole):
            assert pairing.left is not None
            assert pairing.right is not None
            place = Place(
                matchup=matchup,
                number=at + 1,
                count=len(whole),
                previous=whole[at - 1] if at else None,
                following=whole[at + 1] if at + 1 < len(whole) else None,
            )
            places.setdefault((pairing.left.run_id, pairing.right.run_id), []).append((place, pairing))
    return places


beside_pages = JobFamily(name="beside", jobs=_jobs, made=_made, key=_key)
