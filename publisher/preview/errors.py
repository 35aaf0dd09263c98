"""Why there is no preview."""

from __future__ import annotations

from dataset.errors import GlassbenchError
from publisher.gates.refusal import Refusal


class PreviewError(GlassbenchError):
    """There is nothing to preview, or no place for it; nothing was written.

    `PREVIEW-BATCH-001` no such batch · `-002` nothing of it is recorded yet · `-003` what was frozen of it can't be
    read, or isn't what its hash says · `PREVIEW-TARGET-001` the target lies in a snapshot, a site or a preview.
    """

    code = "PREVIEW-BATCH-001"


class PreviewRefusedError(GlassbenchError):
    """The scan found something in all that would be shown (exit status 4); nothing was written. `refusal` has every
    fault of every gate."""

    code = "PREVIEW-SCAN-001"

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(
            "the scan found something in all that would be shown, which must never be written, to no preview either",
            hint="mend what each fault names; there is no switch that skips a gate",
        )
        self.refusal = refusal
