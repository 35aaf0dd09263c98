"""What judging a batch again changed."""

from __future__ import annotations

from collections.abc import Iterator

from publisher.rendering.pages.interface import Page, SiteSource, as_one_job
from publisher.rendering.views.changes import changes_parts, changes_view


def _made(source: SiteSource) -> Iterator[Page]:
    """A page for each batch that judges another again, or several where it has many runs."""
    for again in source.rejudgments:
        view = changes_view(again, lambda batch, facts: source.snapshot.run(batch, facts)[0])
        parts = changes_parts(view)
        for part in parts:
            yield Page(name=part.name, template="changes.html", content={"changes": view, "part": part, "parts": parts})


changes_pages = as_one_job("changes", _made)
