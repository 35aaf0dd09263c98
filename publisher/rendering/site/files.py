"""Every file of a site, one at a time: where it stands and what it holds."""

from __future__ import annotations

from collections.abc import Iterator

from publisher.exports.address import SiteAddress
from publisher.exports.archive import ARCHIVE
from publisher.exports.downloads import downloads_view
from publisher.exports.interface import ExportFile, ExportSource
from publisher.exports.site_exports import SiteExports
from publisher.rendering.building.builder import Builder
from publisher.rendering.page_names import DOWNLOADS
from publisher.rendering.pages.families import FAMILIES
from publisher.rendering.pages.gathered import RunSeen
from publisher.rendering.pages.interface import JobFamily, Page, PageFamily, SiteSource
from publisher.rendering.pages.renderer import rendered
from publisher.rendering.site.assets import asset_files
from publisher.rendering.site.earlier import KeptFile
from publisher.rendering.site.file import LongFile, SiteFile
from publisher.rendering.site.hosting import HEADERS_FILE, headers_file
from publisher.rendering.snapshot.snapshot import Snapshot
from publisher.verification.files import INDEX


def site_files(
    snapshot: Snapshot, address: SiteAddress | None = None, builder: Builder | None = None
) -> Iterator[SiteFile | LongFile | KeptFile]:
    """Pages, assets, every file of the snapshot byte for byte, and what is made to take along. Holds a few runs in
    memory at a time. `address` is where the site will stand, if that is known; a builder does large families with
    several processes, and takes over what it has: the files are the same."""
    source = SiteSource(snapshot=snapshot, address=address)
    ranked = ExportSource(snapshot=snapshot, address=address, ranked=lambda: source.boards)
    exports = SiteExports(source=ranked)
    for file in _rendered(source, builder):
        exports.notice(file)
        yield file

    def to_take_along() -> Iterator[SiteFile | LongFile]:
        return _to_take_along(exports, source)

    yield from to_take_along() if builder is None else builder.in_turn("exports", source, to_take_along)


def _to_take_along(exports: SiteExports, source: SiteSource) -> Iterator[SiteFile | LongFile]:
    yield from map(_exported, exports.first_files())
    archive = exports.make_archive()
    yield LongFile(name=ARCHIVE, chunks=archive.chunks, digest=lambda: archive.sha256)
    yield from map(_exported, exports.last_files())
    downloads = Page(name=DOWNLOADS, template="downloads.html", content={"downloads": downloads_view(exports)})
    yield from rendered(downloads, source)


def _exported(file: ExportFile) -> SiteFile:
    return SiteFile(name=file.name, data=file.data)


def _rendered(source: SiteSource, builder: Builder | None) -> Iterator[SiteFile | KeptFile]:
    for family in FAMILIES:
        yield from family_files(family, source, builder)
    yield SiteFile(name=INDEX, data=source.snapshot.index_data)
    for name, data in source.snapshot.log_files():
        yield SiteFile(name=name, data=data)
    for name, data in asset_files():
        yield SiteFile(name=name, data=data)
    yield SiteFile(name=HEADERS_FILE, data=headers_file())


def family_files(
    family: PageFamily, source: SiteSource, builder: Builder | None = None
) -> Iterator[SiteFile | KeptFile]:
    """Every file of a family; what its runs tell is gathered in the source."""
    if builder is not None and isinstance(family, JobFamily):
        for result in builder.results(family, source):
            yield from result.files
            for seen in result.seen:
                source.gathered.take(seen)
        return
    for made in family(source):
        if isinstance(made, Page):
            yield from rendered(made, source)
        elif isinstance(made, RunSeen):
            source.gathered.take(made)
        else:
            yield made
