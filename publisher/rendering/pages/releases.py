"""The releases, and the log that fixed them."""

from __future__ import annotations

from collections.abc import Iterator

from dataset.canonical import sha256_hex
from publisher.rendering.language.message import Message
from publisher.rendering.page_names import RELEASES, release_page
from publisher.rendering.pages.interface import Crumb, Page, SiteSource, as_one_job


def _made(source: SiteSource) -> Iterator[Page]:
    """The list, then a page for each release."""
    content = {
        "releases": source.releases,
        "log": source.snapshot.log,
        "index_sha256": sha256_hex(source.snapshot.index_data),
    }
    yield Page(name=RELEASES, template="releases.html", content=content)
    for found in source.releases:
        yield Page(
            name=release_page(found.release.number),
            template="release.html",
            content={"found": found, "last": source.standing.number},
            crumbs=(Crumb(title=Message("Releases"), name=RELEASES),),
        )


release_pages = as_one_job("releases", _made)
