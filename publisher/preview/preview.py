"""`preview`: batches as they would look if they were published, in a directory that is no snapshot and no site."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from publisher.gates.carried_over import written_faults
from publisher.gates.refusal import Refusal
from publisher.gates.scan import ByteScanner
from publisher.intake.interface import BatchSource
from publisher.preview.errors import PreviewError
from publisher.preview.files import preview_files
from publisher.preview.marker import PREVIEW_MARKER
from publisher.preview.private_folder import private_folder
from publisher.preview.private_snapshot import write_private_snapshot
from publisher.preview.selection import Selection, select
from publisher.projection.draft import RowChangedError
from publisher.rendering.building.builder import Builder
from publisher.rendering.building.kept import KeptJobs
from publisher.rendering.errors import SnapshotError
from publisher.rendering.preview_notice import PreviewNotice
from publisher.rendering.site.directory import MARKER, PREVIEW, new_site
from publisher.rendering.snapshot.snapshot import Snapshot
from publisher.verification.files import INDEX
from publisher.verification.snapshot import verify

_NOT_OURS = (f"reports/../{INDEX}", MARKER, PREVIEW_MARKER)
"""What only a snapshot, a site and a preview have: an index alone may be anybody's."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Previewed:
    """What was written: HTML pages and bytes of all files; `refusal` has what publishing would be refused for."""

    target: Path
    pages: int
    bytes: int
    notice: PreviewNotice
    refusal: Refusal = field(repr=False)


def preview(sources: Sequence[BatchSource], target: Path, scanner: ByteScanner, *, private: Path) -> Previewed:
    """Renders batches into a target directory, which only its owner can enter and which it replaces as a whole.

    All gates see all batches, and none keeps anything from being shown but the scan: what it finds is written nowhere.
    `private` is the folder that the files between the database and the pages lie in for as long. Raises PreviewError
    and PreviewRefusedError; SiteTargetError where the target holds anything but an earlier preview. In each case the
    target is as it was.
    """
    _require_apart(target)
    selection = select(sources, scanner)
    with new_site(target, PREVIEW) as site, private_folder(private) as folder:
        try:
            write_private_snapshot(folder, selection.drafts)
            refusal = _verified(selection, folder).refusal(scanner)
            notice = selection.notice(refusal)
            pages = size = 0
            for file in preview_files(Snapshot(folder), notice, Builder(kept=KeptJobs(target=folder))):
                size += site.put(file.name, file.chunks())
                pages += file.name.endswith(".html")
        except RowChangedError as error:
            raise _unshowable(f"{error.fault.run_id}: {error.fault.message}") from error
        except SnapshotError as error:
            raise _unshowable(error.message.replace(f"{folder}{os.sep}", "")) from error
        site.publish()
    return Previewed(target=target, pages=pages, bytes=size, notice=notice, refusal=refusal)


def _verified(selection: Selection, folder: Path) -> Selection:
    """With what the verification of a new snapshot would refuse, where every planned run is there."""
    if not selection.whole:
        return selection
    return replace(selection, faults=(*selection.faults, *written_faults(verify(folder))))


def _unshowable(why: str) -> PreviewError:
    return PreviewError(
        f"these batches can't be shown: {why}",
        code="PREVIEW-BATCH-003",
        hint="it was changed after it was frozen, or a moment ago; `glassbench doctor` looks at the database",
    )


def _require_apart(target: Path) -> None:
    """A preview within a snapshot or site would be a stray part of it."""
    above = {*Path(os.path.abspath(target)).parents, *target.resolve().parents}  # noqa: PTH100 - a link is seen too
    for folder in sorted(above):
        if any(os.path.lexists(folder / name) for name in _NOT_OURS):
            raise PreviewError(
                f"{target} lies in {folder}, which holds a snapshot, a site or a preview",
                code="PREVIEW-TARGET-001",
                hint="name a directory outside of it",
            )
