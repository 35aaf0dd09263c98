"""Why a snapshot could not be written. Nothing here is a fault of what was to be published."""

from __future__ import annotations

import errno
import shutil
from pathlib import Path

from dataset.errors import GlassbenchError


class TargetError(GlassbenchError):
    """The target can't be published to; it was not touched.

    `PUBLISH-TARGET-001` it holds something else · `-002` it is a file or a link · `-003` the folder it stands in is
    missing or can't be used · `-005` what stands where the release before is kept isn't one · `-006` its name can't be
    shown.
    """

    code = "PUBLISH-TARGET-001"


class WriteError(GlassbenchError):
    """Writing failed; the old snapshot stands as it was, and what was begun is gone.

    `PUBLISH-DISK-001` the disk is full · `PUBLISH-IO-001` any other fault of the file system.
    """

    code = "PUBLISH-IO-001"


_FULL = (errno.ENOSPC, errno.EDQUOT)


def write_error(error: OSError, *, target: Path, needed: int) -> WriteError:
    """What an OSError while writing means; `needed` is the bytes that the whole snapshot writes anew."""
    place = error.filename or target
    if error.errno in _FULL:
        return WriteError(
            f"no space left while writing {place}: the snapshot needs {needed} bytes, {_free(target)} are free",
            code="PUBLISH-DISK-001",
            hint=f"free space on the file system of {target.parent} and do it again; the old snapshot is untouched",
        )
    return WriteError(
        f"writing {place} failed: {error.strerror or error}",
        hint=f"check {target.parent} and do it again; the old snapshot is untouched",
    )


def _free(target: Path) -> str:
    try:
        return str(shutil.disk_usage(target.parent).free)
    except OSError:
        return "an unknown number"
