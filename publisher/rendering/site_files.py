"""Every file of a site, one at a time: where it stands and what it holds."""

from __future__ import annotations

from collections.abc import Iterator

from publisher.exports.address import SiteAddress
from publisher.exports.archive import ARCHIVE
from publisher.exports.downloads import downloads_view
from publisher.exports.interface import ExportFile, ExportSource
from publisher.exports.site_exports import SiteExports
from publisher.exports.structured_data import DOWNLOADS
from publisher.rendering.assets import asset_files
from publisher.rendering.pages.families import FAMILIES
from publisher.rendering.pages.interface import Page, SiteSource
from publisher.rendering.pages.renderer import rendered
from publisher.rendering.site_file import LongFile, SiteFile
from publisher.rendering.snapshot import Snapshot
from publisher.verification.files import INDEX


def site_files(snapshot: Snapshot, address: SiteAddress | None = None) -> Iterator[SiteFile | LongFile]:
    """Pages, assets, every file of the snapshot byte for byte, and what is made to take along. Holds one run in memory
    at a time, two where one judges the other again. `address` is where the site will stand, if that is known."""
    source = SiteSource(snapshot=snapshot, address=address)
    exports = SiteExports(source=ExportSource(snapshot=snapshot, address=address))
    for file in _rendered(source):
        exports.notice(file.name, file.data)
        yield file
    yield from map(_exported, exports.first_files())
    yield LongFile(name=ARCHIVE, chunks=exports.make_archive().chunks)
    yield from map(_exported, exports.last_files())
    downloads = Page(name=DOWNLOADS, template="downloads.html", content={"downloads": downloads_view(exports)})
    yield from rendered(downloads, source)


def _exported(file: ExportFile) -> SiteFile:
    return SiteFile(name=file.name, data=file.data)


def _rendered(source: SiteSource) -> Iterator[SiteFile]:
    for family in FAMILIES:
        for made in family(source):
            if isinstance(made, Page):
                yield from rendered(made, source)
            else:
                yield made
    yield SiteFile(name=INDEX, data=source.snapshot.index_data)
    for name, data in source.snapshot.log_files():
        yield SiteFile(name=name, data=data)
    for name, data in asset_files():
        yield SiteFile(name=name, data=data)
