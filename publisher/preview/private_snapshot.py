"""What pages are rendered from: the drafts as the files of a snapshot, in a folder that nobody else can enter. It has
no release log, and is never a release."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from publisher.preview.selection import run_files
from publisher.projection.draft import Draft
from publisher.projection.index import next_index
from publisher.releases.change import WrittenReport
from publisher.verification.files import FOLDERS, INDEX, report_name, run_name


def write_private_snapshot(folder: Path, drafts: Sequence[Draft]) -> None:
    """Writes index, reports and runs. OSError where the disk fails, RowChangedError where a run was changed."""
    for name in FOLDERS:
        (folder / name).mkdir()
    for draft in drafts:
        (folder / report_name(draft.report.batch_id)).write_bytes(draft.data)
        for run_id, data in run_files(draft):
            (folder / run_name(run_id)).write_bytes(data)
    entries = [WrittenReport(report=draft.report, data=draft.data).entry for draft in drafts]
    (folder / INDEX).write_bytes(next_index(None, entries).canonical)
