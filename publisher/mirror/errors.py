"""Why a mirror can't be held to what its reader brought along."""

from __future__ import annotations

from dataset.errors import GlassbenchError


class GivenError(GlassbenchError):
    """What was given can't be used, so nothing was verified.

    `VERIFY-KEY-001` no verifier key, or a file of them · `VERIFY-CHECKPOINT-001` no checkpoint ·
    `VERIFY-PREVIOUS-001` no snapshot that can be read.
    """

    code = "VERIFY-KEY-001"
