"""Why a release isn't made, besides what the gates refuse."""

from __future__ import annotations

from dataset.errors import GlassbenchError


class NothingToPublishError(GlassbenchError):
    """No batch was named."""

    code = "PUBLISH-EMPTY-001"


class UnsignedError(GlassbenchError):
    """The latest release of the target is signed, and there is no key to sign the next one with."""

    code = "PUBLISH-KEY-001"


class NoSnapshotError(GlassbenchError):
    """The target holds no snapshot, so there is nothing in it to withdraw or reveal."""

    code = "PUBLISH-TARGET-004"


class WithdrawalError(GlassbenchError):
    """`WITHDRAW-NAME-001` no such run or batch in the snapshot · `-002` the name is that of a run and of a batch ·
    `WITHDRAW-REASON-001` the reason isn't one."""

    code = "WITHDRAW-NAME-001"


class RevealError(GlassbenchError):
    """`REVEAL-BATCH-001` no such batch in the snapshot · `REVEAL-CASE-001` it has no such case · `REVEAL-PART-001` no
    such part · `REVEAL-PART-002` it would give away what stays withheld · `REVEAL-RUN-001` every run of a case was
    withdrawn."""

    code = "REVEAL-BATCH-001"
