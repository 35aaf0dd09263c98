"""What judging a batch again changed."""

from __future__ import annotations

from collections.abc import Iterator

from publisher.rendering.changes_page import changes_view
from publisher.rendering.pages.interface import Page, SiteSource


def changes_pages(source: SiteSource) -> Iterator[Page]:
    """A page for each batch that judges another again."""
    for again in source.rejudgments:
        view = changes_view(again, lambda batch, facts: source.snapshot.run(batch, facts)[0])
        yield Page(name=again.page, template="changes.html", content={"changes": view})
