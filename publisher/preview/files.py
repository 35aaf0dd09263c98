"""Every file of a preview: the pages of a site but for those of releases, and nothing that could pass for one.

There is no index and no log, so the files of its runs are no snapshot; no feed, no sitemap, no tables, no archive, no
badges, no citations, no pictures.
"""

from __future__ import annotations

from collections.abc import Iterator

from publisher.rendering.building.builder import Builder
from publisher.rendering.page_names import PREVIEW, RELEASES
from publisher.rendering.pages.cards import card_files
from publisher.rendering.pages.families import FAMILIES
from publisher.rendering.pages.interface import Page, SiteSource
from publisher.rendering.pages.releases import release_pages
from publisher.rendering.preview_notice import PreviewNotice
from publisher.rendering.site.assets import asset_files
from publisher.rendering.site.earlier import KeptFile
from publisher.rendering.site.file import SiteFile
from publisher.rendering.site.files import family_files
from publisher.rendering.snapshot.snapshot import Snapshot

OF_RELEASES = (release_pages, card_files)


def preview_files(snapshot: Snapshot, notice: PreviewNotice, builder: Builder) -> Iterator[SiteFile | KeptFile]:
    """The files in the order in which they are written."""
    source = SiteSource(snapshot=snapshot, preview=notice)
    for family in (_about, *(family for family in FAMILIES if family not in OF_RELEASES)):
        yield from family_files(family, source, builder)
    for name, data in asset_files():
        yield SiteFile(name=name, data=data)
    yield SiteFile(name="robots.txt", data=b"User-agent: *\nDisallow: /\n")
    yield SiteFile(name=".gitignore", data=b"# a preview: not published, not to be committed\n*\n")


def _about(source: SiteSource) -> Iterator[Page]:
    # Texts that hold for every site lead to the releases; here that place tells why there are none.
    for name in (PREVIEW, RELEASES):
        yield Page(name=name, template="preview.html")
