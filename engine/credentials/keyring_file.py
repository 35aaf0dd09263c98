"""The file of the key ring: readable by its owner alone, made once, replaced whole.

It stands outside the database, so that a copy of the one is worth nothing without the other.
"""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from dataset.private_file import sync_directory, why_unsafe, write_private
from engine.credentials.errors import KeyringError
from engine.credentials.keyring import Keyring, new_ring_key, parse_keyring

KEYRING_VARIABLE = "GLASSBENCH_KEYRING"
KEYRING_NAME = "keyring.json"
_LARGEST = 1 << 20


def keyring_path(environ: Mapping[str, str], home: Path) -> Path:
    """Where the ring stands: what GLASSBENCH_KEYRING names, else `keyring.json` in the state directory."""
    setting = environ.get(KEYRING_VARIABLE, "").strip()
    return Path(setting).expanduser().absolute() if setting else home / KEYRING_NAME


def read_keyring(path: Path) -> Keyring:
    """The ring; KeyringError where it is missing, isn't a file of our own that nobody else may read, or is no ring."""
    ring = parse_keyring(_read_private(path))
    if ring is None:
        raise KeyringError(
            f"{path} isn't a key ring", code="CRED-RING-003", hint=f"bring it back from a copy; {_START_ANEW}"
        )
    return ring


def ensure_keyring(path: Path) -> tuple[Keyring, bool]:
    """The ring, made with one key where there was none, and whether it was made now.

    Of several processes at once one makes it and all read the same. A process that is killed leaves either the whole
    file or none.
    """
    if not _exists(path):
        with _exclusive(path):
            if not _exists(path):
                ring = Keyring(keys=(new_ring_key(),))
                _put(path, ring, replace=False)
                return ring, True
    return read_keyring(path), False


def add_ring_key(path: Path) -> Keyring:
    """The ring with one more key, active, once it is safely in the file. Errors as in `read_keyring`."""
    with _exclusive(path):
        ring = read_keyring(path).with_new_key()
        _put(path, ring, replace=True)
    return ring


_START_ANEW = "where there is none, move this file away and set every key again with `glassbench credential set`"


def _exists(path: Path) -> bool:
    return os.path.lexists(path)


def _read_private(path: Path) -> bytes:
    try:
        # A pipe in its place would be waited for without end.
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        raise KeyringError(
            f"there is no key ring at {path}",
            code="CRED-RING-001",
            hint="bring it back from a copy, or set GLASSBENCH_KEYRING to where it is; where it is lost, set every "
            "key again with `glassbench credential set`",
        ) from None
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise _unsafe(path, "is a symbolic link") from None
        raise _unusable(path, error) from None
    try:
        _require_private(path, os.fstat(descriptor))
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            return file.read(_LARGEST + 1)
    finally:
        os.close(descriptor)


def _require_private(path: Path, found: os.stat_result) -> None:
    unsafe = why_unsafe(found)
    if unsafe is not None:
        raise _unsafe(path, unsafe)
    if found.st_size > _LARGEST:
        raise KeyringError(f"{path} isn't a key ring", code="CRED-RING-003", hint="bring it back from a copy")


@contextmanager
def _exclusive(path: Path) -> Iterator[None]:
    """One writer at a time; the system gives the lock back when a process dies."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = os.open(
            path.with_name(f"{path.name}.lock"), os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600
        )
    except OSError as error:
        raise _unusable(path, error) from None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def _put(path: Path, ring: Keyring, *, replace: bool) -> None:
    """Writes the ring beside its place and moves it there. What a killed writer left beside it goes first."""
    fresh = path.with_name(f"{path.name}.new")
    try:
        fresh.unlink(missing_ok=True)
        write_private(fresh, ring.to_bytes())
        if replace:
            fresh.replace(path)
        else:
            path.hardlink_to(fresh)  # unlike a rename, this never takes another file's place
            fresh.unlink()
        sync_directory(path.parent)
    except OSError as error:
        raise _unusable(path, error) from None


def _unsafe(path: Path, fault: str) -> KeyringError:
    return KeyringError(
        f"the key ring {path} {fault}",
        code="CRED-RING-002",
        hint=f"it must be a file of your own with mode 0600: chmod 600 {path}; where others could read it, "
        "run `glassbench credential rotate --ring` afterwards and replace the keys at their providers",
    )


def _unusable(path: Path, error: OSError) -> KeyringError:
    return KeyringError(
        f"the key ring {path} can't be opened or written: {error.strerror or type(error).__name__}",
        code="CRED-RING-004",
        hint="look at the directory's permissions and free space, or set GLASSBENCH_KEYRING to another place",
    )
