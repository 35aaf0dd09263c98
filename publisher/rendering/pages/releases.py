"""The releases, and the log that fixed them."""

from __future__ import annotations

from collections.abc import Iterator

from dataset.canonical import sha256_hex
from publisher.rendering.pages.interface import Page, SiteSource


def release_pages(source: SiteSource) -> Iterator[Page]:
    """One page of all releases."""
    content = {
        "releases": source.releases,
        "log": source.snapshot.log,
        "index_sha256": sha256_hex(source.snapshot.index_data),
    }
    yield Page(name="releases.html", template="releases.html", content=content)
