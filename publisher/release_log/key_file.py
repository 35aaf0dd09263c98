"""Signing keys as files: made once, readable by their owner alone, never inside a git work tree."""

from __future__ import annotations

import errno
import os
import re
import secrets
import stat
from collections.abc import Mapping
from pathlib import Path

from dataset.private_file import sync_directory, why_unsafe, write_private
from publisher.release_log.errors import KeyFileError, MalformedError
from publisher.release_log.note import Signer, read_signer

KEY_VARIABLE = "GLASSBENCH_SIGNING_KEY"
KEY_FOLDER = "keys"
KEY_ENDING = ".skey"
_NAME = re.compile(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?(/[a-z0-9][a-z0-9._-]*)*", re.ASCII)
_LONGEST_NAME = 100
_LARGEST = 4096


def key_directory(home: Path) -> Path:
    """Where keys stand in the state directory."""
    return home / KEY_FOLDER


def key_path(name: str, home: Path) -> Path:
    """Where the key of a name stands in the key directory; KeyFileError where it is no name for a key."""
    _require_name(name)
    return key_directory(home) / f"{name.replace('/', '+')}{KEY_ENDING}"


def new_key(name: str, path: Path) -> Signer:
    """A fresh key in a new file of mode 0600; a missing folder is made with mode 0700. KeyFileError.

    A process that is killed leaves either the whole file or none.
    """
    _require_name(name)
    _require_outside_git(path)
    signer = Signer(name=name, seed=secrets.token_bytes(32))
    fresh = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            write_private(fresh, f"{signer.private_text()}\n".encode())
            path.hardlink_to(fresh)  # unlike a rename, this never takes another file's place
        finally:
            fresh.unlink(missing_ok=True)
        sync_directory(path.parent)
    except FileExistsError:
        raise KeyFileError(
            f"{path} exists already",
            code="KEY-FILE-001",
            hint="a key is never replaced: what it signed could no longer be continued under it; choose another name",
        ) from None
    except OSError as error:
        raise _unusable(path, error) from None
    return signer


def read_key(path: Path) -> Signer:
    """The key in a file; KeyFileError where it is missing, others may read it, it stands in a git work tree, or isn't
    one."""
    try:
        # Neither a link is followed nor a pipe waited for.
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        raise KeyFileError(
            f"there is no signing key at {path}", code="KEY-FILE-002", hint="make one with `glassbench key new NAME`"
        ) from None
    except OSError as error:
        raise (_no_file(path, "is a symbolic link") if error.errno == errno.ELOOP else _unusable(path, error)) from None
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise _no_file(path, "isn't a regular file")
        unsafe = why_unsafe(found)
        if unsafe is not None:
            raise _unsafe(path, unsafe)
        _require_moved_out_of_git(path)
        data = os.read(descriptor, _LARGEST)
    finally:
        os.close(descriptor)
    try:
        return read_signer(data.decode("utf-8").removesuffix("\n"))
    except (MalformedError, UnicodeDecodeError):
        raise KeyFileError(
            f"{path} isn't a signing key", code="KEY-FILE-004", hint="bring it back from a copy; it is one line of text"
        ) from None


def chosen_key(path: Path | None, environ: Mapping[str, str], home: Path) -> Path | None:
    """The key to sign with: the given file, else what GLASSBENCH_SIGNING_KEY names, else the only one in the key
    directory; None where there is none. KeyFileError where there are several."""
    setting = environ.get(KEY_VARIABLE, "").strip()
    if path is not None or setting:
        return path if path is not None else Path(setting).expanduser().absolute()
    try:
        found = sorted(key_directory(home).glob(f"[!.]*{KEY_ENDING}"))
    except OSError as error:
        raise _unusable(key_directory(home), error) from None
    if len(found) > 1:
        names = ", ".join(path.name for path in found)
        raise KeyFileError(
            f"several signing keys in {key_directory(home)}: {names}",
            code="KEY-CHOICE-001",
            hint=f"name one with the option for the key's file, or set {KEY_VARIABLE} to its path",
        )
    return found[0] if found else None


def load_signer(path: Path | None, environ: Mapping[str, str], home: Path) -> Signer | None:
    """The key that `chosen_key` chooses, read; None where there is none to sign with. KeyFileError."""
    chosen = chosen_key(path, environ, home)
    return None if chosen is None else read_key(chosen)


def _require_name(name: str) -> None:
    if len(name) > _LONGEST_NAME or not _NAME.fullmatch(name):
        raise KeyFileError(
            f"{name!r} is no name for a key",
            code="KEY-NAME-001",
            hint="a name is a place of yours without a scheme, in lower case: example.org/bench",
        )


def _require_outside_git(path: Path) -> None:
    tree = _work_tree(path)
    if tree is not None:
        raise KeyFileError(
            f"{path} would stand in the git work tree {tree}, from where a key is easily pushed to others",
            code="KEY-GIT-001",
            hint="give another place with --file, or set GLASSBENCH_HOME to a directory outside it",
        )


def _require_moved_out_of_git(path: Path) -> None:
    tree = _work_tree(path)
    if tree is not None:
        raise KeyFileError(
            f"the signing key {path} stands in the git work tree {tree}, from where it is easily pushed to others",
            code="KEY-GIT-001",
            hint=f"move it to a directory outside {tree} and name it there; where it was ever committed, sign with a "
            "new key from now on",
        )


def _work_tree(path: Path) -> Path | None:
    folder = path.parent.resolve()
    return next((parent for parent in (folder, *folder.parents) if os.path.lexists(parent / ".git")), None)


def _no_file(path: Path, what: str) -> KeyFileError:
    return KeyFileError(
        f"the signing key {path} {what}",
        code="KEY-FILE-003",
        hint="name the file itself that `glassbench key new` made",
    )


def _unsafe(path: Path, what: str) -> KeyFileError:
    return KeyFileError(
        f"the signing key {path} {what}",
        code="KEY-FILE-003",
        hint=f"it must be a file of your own with mode 0600: chmod 600 {path}; where others could read it, sign with a "
        "new key from now on",
    )


def _unusable(path: Path, error: OSError) -> KeyFileError:
    return KeyFileError(
        f"the signing key {path} can't be opened or written: {error.strerror or type(error).__name__}",
        code="KEY-FILE-005",
        hint="look at the directory's permissions and free space",
    )
