"""Exchanging two directories in one step: Linux `renameat2` with RENAME_EXCHANGE, which Python doesn't offer."""

from __future__ import annotations

import ctypes
import errno
import os
from pathlib import Path

RENAME_EXCHANGE = 2
"""linux/fs.h; see renameat2(2)."""
_AT_FDCWD = -100
_NOT_OFFERED = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EPERM)


def exchange(left: Path, right: Path) -> bool:
    """Swaps two names atomically; False where this system or file system doesn't offer it. OSError for a fault."""
    try:
        call = ctypes.CDLL(None, use_errno=True).renameat2
    except (AttributeError, OSError, TypeError):  # another C library, or another operating system
        return False
    call.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint)
    if call(_AT_FDCWD, os.fsencode(left), _AT_FDCWD, os.fsencode(right), RENAME_EXCHANGE) == 0:
        return True
    number = ctypes.get_errno()
    if number in _NOT_OFFERED:
        return False
    raise OSError(number, os.strerror(number), str(left), None, str(right))
