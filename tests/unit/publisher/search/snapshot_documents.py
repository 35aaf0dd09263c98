"""Documents as a site has them: of every page of a snapshot, once its runs have told what they recorded."""

from __future__ import annotations

from collections.abc import Iterator

from dataset.artifacts.disclosure import Disclosed
from publisher.rendering.pages.gathered import seen_in, told_of
from publisher.rendering.pages.interface import SiteSource
from publisher.rendering.search.documents import search_documents
from publisher.rendering.snapshot.snapshot import Snapshot
from publisher.search.document import SearchDocument


def documents(snapshot: Snapshot) -> Iterator[SearchDocument]:
    """Every document, kind after kind."""
    source = SiteSource(snapshot=snapshot)
    for batch in snapshot.batches:
        for facts in batch.report.every_run:
            found, _ = snapshot.run(batch, facts)
            source.gathered.take(seen_in(facts, found) if isinstance(found, Disclosed) else told_of(facts))
    yield from search_documents(source)
