"""The index of a snapshot: whether it says of its reports and releases what they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from publisher.projection.index import Index
from publisher.verification.difference import Difference, compare, fault
from publisher.verification.files import INDEX


def index_differences(index: Index, kinds: Mapping[str, bool], ends: Mapping[str, str]) -> Iterator[Difference]:
    """What is wrong with an index in itself, and beside its reports: `kinds` says which batches are synthetic, `ends`
    when the last run of each ended."""
    if not index.reports:
        yield index_fault("/reports", "names no report, so there is nothing to hold")
    named = [entry.batch_id for entry in index.reports]
    if named != sorted(set(named)):
        yield index_fault("/reports", "not sorted by batch id, each once")
    if [release.number for release in index.releases] != list(range(1, len(index.releases) + 1)):
        yield index_fault("/releases", "not numbered from 1")
    brought = [(batch, release.number) for release in index.releases for batch in release.batches]
    for difference in compare(
        "releases don't cover every report once",
        sorted([entry.batch_id, entry.release] for entry in index.reports),
        sorted([batch, number] for batch, number in brought),
    ):
        yield difference.within_pointer("/releases").within(INDEX)
    yield from _release_differences(index, ends)
    if len(set(kinds.values())) > 1:
        yield index_fault("/reports", "synthetic and real runs in one snapshot")
    for difference in compare("not what its reports say", any(kinds.values()), index.synthetic):
        yield difference.within_pointer("/synthetic").within(INDEX)


def _release_differences(index: Index, ends: Mapping[str, str]) -> Iterator[Difference]:
    earlier: set[str] = set()
    before: str | None = None
    for position, release in enumerate(index.releases):
        known = [ends[batch] for batch in release.batches if batch in ends]
        end = max(known, default=before)
        if len(known) == len(release.batches) and end is not None and release.published_at != end:
            yield Difference(
                place=f"{INDEX}#/releases/{position}/published_at",
                expected=end,
                observed=release.published_at,
                message="not the end of its last run",
            )
        place = f"/releases/{position}"
        if list(release.batches) != sorted(release.batches) or not (release.batches or release.revised):
            yield index_fault(f"{place}/batches", "empty, or not sorted")
        if list(release.revised) != sorted(set(release.revised)) or not earlier.issuperset(release.revised):
            yield index_fault(f"{place}/revised", "not sorted, or not of earlier releases")
        earlier |= set(release.batches)
        before = release.published_at


def index_fault(pointer: str, message: str) -> Difference:
    """A difference at a place of the index."""
    return fault(f"{INDEX}#{pointer}", message)
