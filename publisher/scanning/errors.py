"""Why a scan could not be done; never what a scan found."""

from __future__ import annotations

from dataset.errors import GlassbenchError


class ScanError(GlassbenchError):
    """The scan itself failed, so nothing may be said about the input. Messages never hold a secret.

    `SCAN-ENGINE-001` the credential engine is missing, blind or failed; `SCAN-ENGINE-002` it was carried
    over a fork; `SCAN-READ-001` a file can't be read; `SCAN-VALUE-001` a known value can't be looked for.
    """

    code = "SCAN-ENGINE-001"
