"""Everything that a site offers beside its pages, in the order in which one part needs another."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from publisher.exports.address import SITE_ADDRESS
from publisher.exports.archive import ARCHIVE, MEDIA_TYPE, Archive, SnapshotFile
from publisher.exports.badge import badges
from publisher.exports.checksums import checksums
from publisher.exports.citation import citation_files
from publisher.exports.croissant import croissant
from publisher.exports.csv_form import csv_tables
from publisher.exports.dictionary import dictionary
from publisher.exports.embedded_table import embedded_tables
from publisher.exports.feed import feed
from publisher.exports.interface import Export, ExportFile, ExportSource
from publisher.exports.json_form import json_tables
from publisher.exports.parquet_form import parquet_tables
from publisher.exports.sitemap import robots, sitemaps
from publisher.exports.structured_data import DataFile
from publisher.rendering.language.language import LANGUAGES
from publisher.rendering.page_names import DOWNLOADS, NOT_FOUND
from publisher.rendering.site.earlier import KeptFile
from publisher.rendering.site.file import SiteFile
from publisher.verification.files import in_log, is_snapshot_file, named_run

DATA_EXPORTS: tuple[Export, ...] = (csv_tables, json_tables, parquet_tables, dictionary, citation_files)
"""What goes into the archive."""
OTHER_EXPORTS: tuple[Export, ...] = (feed, badges, embedded_tables)
_NO_PAGE = (NOT_FOUND,)
_OTHER_LANGUAGES = tuple(language.folder for language in LANGUAGES if language.folder)


@dataclass(kw_only=True)
class SiteExports:
    """Takes notice of every file of a site as it is made, and then makes the rest."""

    source: ExportSource
    pages: list[str] = field(default_factory=list)
    """Each once, as it is named in the language that stands at the root."""
    snapshot: list[SnapshotFile] = field(default_factory=list)
    data: list[ExportFile] = field(default_factory=list)
    archive: Archive | None = None

    def notice(self, file: SiteFile | KeptFile) -> None:
        """Tells of a file that was made."""
        name = file.name
        if is_snapshot_file(name):
            self.snapshot.append(SnapshotFile(name=name, size=file.size, sha256=file.sha256, read=self._reader(name)))
        elif name.endswith(".html") and name not in _NO_PAGE and not name.startswith(_OTHER_LANGUAGES):
            self.pages.append(name)

    def first_files(self) -> Iterator[ExportFile]:
        """What follows from the snapshot by itself."""
        for export in DATA_EXPORTS:
            for file in export(self.source):
                self.data.append(file)
                yield file
        for export in OTHER_EXPORTS:
            yield from export(self.source)
        yield robots(self.source.address)
        if self.source.address is not None:
            yield ExportFile(
                name=SITE_ADDRESS,
                title="Where the site stands",
                media_type="application/json",
                data=self.source.address.canonical,
            )

    def make_archive(self) -> Archive:
        """The archive of what was noticed and of the data; to be written before the last files are asked for."""
        releases = self.source.snapshot.index.releases
        self.archive = Archive(
            release=self.source.release,
            published_at=releases[-1].published_at if releases else "1970-01-01T00:00:00.000Z",
            snapshot=tuple(self.snapshot),
            data=tuple(self.data),
        )
        return self.archive

    def last_files(self) -> Iterator[ExportFile]:
        """What names the others by their sha256, and the sitemap."""
        archive = self._written_archive()
        digests = [(file.name, file.sha256) for file in self.snapshot] + [(f.name, f.sha256) for f in self.data]
        yield checksums([*digests, (ARCHIVE, archive.sha256)])
        yield croissant(self.source, self.files, archive.folder)
        yield from sitemaps([*self.pages, DOWNLOADS], self.source.address)

    @property
    def folder(self) -> str:
        """The folder at the top of the archive."""
        return self._written_archive().folder

    @property
    def files(self) -> Sequence[DataFile]:
        """Every file of the data that is told of by itself: all but those of runs and of the log."""
        archive = self._written_archive()
        return (
            DataFile(
                name=ARCHIVE,
                title="Everything in one archive: the snapshot and all tables",
                media_type=MEDIA_TYPE,
                size=archive.size,
                sha256=archive.sha256,
            ),
            *(
                DataFile(
                    name=file.name,
                    title=file.title,
                    media_type=file.media_type,
                    size=len(file.data),
                    sha256=file.sha256,
                )
                for file in self.data
            ),
            *(
                DataFile(
                    name=file.name,
                    title="File of the snapshot",
                    media_type="application/json",
                    size=file.size,
                    sha256=file.sha256,
                )
                for file in self.snapshot
                if not in_log(file.name) and named_run(file.name) is None
            ),
        )

    def _written_archive(self) -> Archive:
        if self.archive is None or not self.archive.sha256:
            raise AssertionError("the archive is written before what names its sha256")
        return self.archive

    def _reader(self, name: str) -> Callable[[], bytes]:
        return lambda: self.source.snapshot.file(name)
