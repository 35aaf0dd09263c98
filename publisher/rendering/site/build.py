"""`site build`: a snapshot, and nothing else, becomes a static site."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from publisher.exports.address import SiteAddress
from publisher.preview.marker import require_no_preview
from publisher.rendering.building.builder import Builder
from publisher.rendering.building.kept import KeptJobs
from publisher.rendering.errors import SiteTargetError
from publisher.rendering.site.directory import MARKER, new_site
from publisher.rendering.site.earlier import KeptFile
from publisher.rendering.site.files import site_files
from publisher.rendering.snapshot.snapshot import Snapshot


@dataclass(frozen=True, kw_only=True, slots=True)
class SiteBuild:
    """What was built: the number of HTML pages, the bytes of all files, and of the parts of the site how many were made
    anew and how many taken over from the site that stood there before."""

    pages: int
    bytes: int
    made: int
    reused: int


def build_site(snapshot: Path, target: Path, address: SiteAddress | None = None) -> SiteBuild:
    """Renders a snapshot directory into a target directory, which it replaces as a whole. `address` is where the site
    will stand, if that is known.

    The same snapshot and address give the same bytes on any machine. Raises SnapshotError where the snapshot is broken
    and SiteTargetError where the target holds anything but an earlier site; both before the target is touched;
    PreviewGivenError where either is a preview.
    """
    require_no_preview(snapshot)
    require_no_preview(target)
    _require_apart(snapshot, target)
    source = Snapshot(snapshot)
    pages = size = 0
    builder = Builder(kept=KeptJobs.of(target))
    with new_site(target) as site:
        for file in site_files(source, address, builder):
            size += site.take_over(file) if isinstance(file, KeptFile) else site.put(file.name, file.chunks())
            pages += file.name.endswith(".html")
        site.publish()
    builder.kept.save(MARKER, site.stamps)
    return SiteBuild(pages=pages, bytes=size, made=builder.made, reused=builder.reused)


def _require_apart(snapshot: Path, target: Path) -> None:
    source, place = snapshot.resolve(), target.resolve()
    if source.is_relative_to(place) or place.is_relative_to(source):
        raise SiteTargetError(
            f"{target} and the snapshot {snapshot} lie within each other", hint="build to a directory of its own"
        )
