"""The pages of two runs side by side: one for each pair that a comparison leads to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache

from dataset.artifacts.disclosure import Disclosed
from dataset.artifacts.withdrawn import Withdrawn
from dataset.measures.run_facts import RunFacts
from publisher.rendering.compare.argument_difference import MOST_SHOWN
from publisher.rendering.compare.assertions import MOST_ROWS
from publisher.rendering.compare.beside_view import Place, RunSide, beside_view
from publisher.rendering.compare.matchup import ALL_PAIRS, Matchups, beside_page, matchups_of
from publisher.rendering.compare.pairing import Pairing
from publisher.rendering.pages.interface import Page, SiteSource
from publisher.rendering.replay import source_of
from publisher.rendering.snapshot import PublishedBatch


def beside_pages(source: SiteSource) -> Iterator[Page]:
    """Every pair once, whichever comparisons hold it. The pairs of a case follow each other, so that its runs are read
    about once while no more than a few are in memory."""
    for batch in source.snapshot.batches:
        yield from _pages(source, batch)


def _pages(source: SiteSource, batch: PublishedBatch) -> Iterator[Page]:
    facts: dict[str, RunFacts] = {run.run_id: run for run in batch.report.runs}

    @lru_cache(maxsize=ALL_PAIRS)
    def opened(run_id: str) -> Disclosed | Withdrawn:
        return source.snapshot.run(batch, facts[run_id])[0]

    order: dict[str, int] = {case.id: number for number, case in enumerate(batch.report.definition.cases)}
    replay_of = source_of(batch.report, source.reports)
    found = places_of(matchups_of(batch))
    for (left, right), places in sorted(found.items(), key=lambda entry: order[entry[1][0][1].case_id]):
        place, pairing = places[0]
        one, other = place.matchup.left, place.matchup.right
        view = beside_view(
            pairing,
            [place for place, _ in places],
            RunSide(left=True, side=one, variant_id=pairing.left_variant, facts=facts[left], opened=opened(left)),
            RunSide(left=False, side=other, variant_id=pairing.right_variant, facts=facts[right], opened=opened(right)),
        )
        content = {
            "beside": view,
            "beside_page": beside_page,
            "most_values": MOST_SHOWN,
            "most_checks": MOST_ROWS,
            "replay_of": replay_of,
        }
        yield Page(name=beside_page(left, right), template="beside.html", content=content)


def places_of(found: Matchups) -> Mapping[tuple[str, str], list[tuple[Place, Pairing]]]:
    """By their run ids, all pairs of whole comparisons, each with every place that it has in one."""
    places: dict[tuple[str, str], list[tuple[Place, Pairing]]] = {}
    for matchup in found.all:
        whole = [pairing for pairing in matchup.pairings if pairing.left is not None and pairing.right is not None]
        for at, pairing in enumerate(whole):
            if pairing.left is None or pairing.right is None:
                continue
            place = Place(
                matchup=matchup,
                number=at + 1,
                count=len(whole),
                previous=whole[at - 1] if at else None,
                following=whole[at + 1] if at + 1 < len(whole) else None,
            )
            places.setdefault((pairing.left.run_id, pairing.right.run_id), []).append((place, pairing))
    return places
