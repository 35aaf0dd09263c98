"""How a preview is told from a snapshot and a site by everything that takes one of those."""

from __future__ import annotations

import os
from pathlib import Path

from dataset.errors import GlassbenchError

PREVIEW_MARKER = ".glassbench-preview"


class PreviewGivenError(GlassbenchError):
    """A preview was given where a snapshot or a site is asked for."""

    code = "PREVIEW-GIVEN-001"


def require_no_preview(directory: Path) -> None:
    """PreviewGivenError where a directory holds a preview."""
    if os.path.lexists(directory / PREVIEW_MARKER):
        raise PreviewGivenError(
            f"{directory} holds a preview of batches that aren't published: it is no snapshot and no site",
            hint="name another directory; `glassbench publish BATCH --to DIR` makes a release",
        )
