"""The state directory: where Glassbench keeps what belongs to one person on one machine."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs

from dataset.errors import GlassbenchError

HOME_VARIABLE = "GLASSBENCH_HOME"
CACHE_VARIABLE = "GLASSBENCH_CACHE_DIR"


class HomeError(GlassbenchError):
    """The state directory can't be used.

    `HOME-001` it, or a folder above it, is a file · `HOME-002` it can't be made or written · `HOME-003` its
    name can't be resolved.
    """


def state_directory() -> Path:
    """The absolute path of the state directory, made with mode 0700 when it is missing.

    `$GLASSBENCH_HOME` where it is set and not empty, else the platform's user data directory. A directory
    that exists is taken as it is: its permissions are never changed. Raises HomeError.
    """
    path = _configured()
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        raise HomeError(
            f"the state directory {path} is not a directory: {error.filename or path} is a file",
            code="HOME-001",
            hint=f"move the file away, or set {HOME_VARIABLE} to another directory",
        ) from error
    except OSError as error:
        raise _unwritable(path, error.strerror or str(error)) from error
    if not os.access(path, os.W_OK | os.X_OK):
        raise _unwritable(path, "permission denied")
    return path


def _configured() -> Path:
    setting = os.environ.get(HOME_VARIABLE, "")
    if not setting:
        return Path(platformdirs.user_data_dir("glassbench")).absolute()
    try:
        return Path(setting).expanduser().absolute()
    except RuntimeError as error:
        raise HomeError(
            f"{HOME_VARIABLE}={setting} names a home that doesn't exist",
            code="HOME-003",
            hint=f"set {HOME_VARIABLE} to an absolute path",
        ) from error


def _unwritable(path: Path, reason: str) -> HomeError:
    return HomeError(
        f"the state directory {path} can't be written: {reason}",
        code="HOME-002",
        hint=f"give yourself write permission there, or set {HOME_VARIABLE} to a directory of your own",
    )
