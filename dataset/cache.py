"""Files kept between processes to save time: each can be lost at any moment, and is never believed unseen.

They lie in the user's cache folder (`GLASSBENCH_CACHE_DIR` names another). A file that somebody else may write, that is
cut or that was changed is as if it weren't there; where none can be written, nothing is kept.
"""

from __future__ import annotations

import os
import stat
import time
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from tempfile import NamedTemporaryFile

from dataset.home import CACHE_VARIABLE

KEPT_SECONDS = 30 * 86_400
"""What was kept so long ago gives way when something else of its kind is."""
_DIGEST_BYTES = 32


def cache_folder() -> Path:
    """Where kept files lie; it needn't exist. RuntimeError where there is no home."""
    named = os.environ.get(CACHE_VARIABLE)
    if named:
        return Path(named)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "glassbench"


def read_kept(name: str) -> bytes | None:
    """What was kept under a name; None where there is nothing that can be trusted."""
    try:
        with (cache_folder() / name).open("rb") as file:
            status = os.fstat(file.fileno())
            data = file.read()
    except (OSError, RuntimeError):
        return None
    others_write = status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    if os.name == "posix" and (status.st_uid != os.geteuid() or others_write):
        return None
    body = data[_DIGEST_BYTES:]
    return body if sha256(body).digest() == data[:_DIGEST_BYTES] else None


def keep(name: str, data: bytes) -> None:
    """Best effort; a reader sees the old file, the new one or none. Names of one kind end alike (`.patterns`)."""
    with suppress(OSError, RuntimeError):
        path = cache_folder() / name
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        for other in path.parent.glob(f"*{path.suffix}"):
            if time.time() - other.stat().st_mtime > KEPT_SECONDS:
                other.unlink(missing_ok=True)
        with NamedTemporaryFile(dir=path.parent, delete=False) as file:
            written = Path(file.name)
        try:
            written.write_bytes(sha256(data).digest() + data)
            written.replace(path)
        finally:
            written.unlink(missing_ok=True)
