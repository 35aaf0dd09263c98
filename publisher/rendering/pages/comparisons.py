"""The pages that compare two models or two arms of a batch."""

from __future__ import annotations

from collections.abc import Iterator

from publisher.rendering.compare.compare_view import compare_parts, compare_view, matchups_parts
from publisher.rendering.compare.matchup import ALL_PAIRS, beside_page, matchups_of
from publisher.rendering.pages.interface import Page, SiteSource
from publisher.rendering.replay import source_of


def comparison_pages(source: SiteSource) -> Iterator[Page]:
    """For each batch the list of its comparisons, and each of them."""
    for batch in source.snapshot.batches:
        found = matchups_of(batch)
        parts = matchups_parts(found)
        for part in parts:
            content = {"matchups": found, "part": part, "parts": parts, "all_pairs": ALL_PAIRS}
            yield Page(name=part.name, template="compare_list.html", content=content)
        for matchup in found.all:
            view = compare_view(matchup)
            pages = compare_parts(view)
            for one in pages:
                content = {
                    "compare": view,
                    "part": one,
                    "parts": pages,
                    "beside_page": beside_page,
                    "replay_of": source_of(batch.report, source.reports),
                }
                yield Page(name=one.name, template="compare.html", content=content)
