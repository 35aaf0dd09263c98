"""Why a site could not be built or served."""

from __future__ import annotations

from dataset.errors import GlassbenchError


class SnapshotError(GlassbenchError):
    """The snapshot can't be rendered; the message names the file. Nothing was written."""

    code = "SITE-SNAPSHOT-001"

    def __init__(self, message: str, *, snapshot: str) -> None:
        super().__init__(message, hint=f"`glassbench verify {snapshot}` lists everything that is wrong with it")


class SiteTargetError(GlassbenchError):
    """The target can't become a site; what it holds was not touched.

    `SITE-TARGET-001` it holds something else · `-002` it is a file or a link · `-003` it can't be written ·
    `-004` another build is writing it · `-005` a file of the site in it was changed meanwhile.
    """

    code = "SITE-TARGET-001"


class ServeError(GlassbenchError):
    """The site can't be served.

    `SITE-SERVE-001` the port is taken · `-002` there is no site in the directory · `-003` no such address.
    """

    code = "SITE-SERVE-001"
