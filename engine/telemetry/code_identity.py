"""Which Glassbench is running."""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path

from dataset.artifacts.artifact import CodeIdentity
from dataset.version import installed_version

UNCOMMITTED = "+changes"


@cache
def code_identity() -> CodeIdentity:
    """The installed version, and the commit where it runs from a git checkout of its own."""
    return CodeIdentity(version=installed_version(), commit=_commit(Path(__file__).resolve().parents[2]))


def _commit(root: Path) -> str | None:
    if not (root / ".git").exists():
        return None
    head = _git(root, "rev-parse", "HEAD")
    if head is None:
        return None
    changed = _git(root, "status", "--porcelain", "--untracked-files=no", "--", "dataset", "engine", "publisher")
    return head + (UNCOMMITTED if changed else "")


def _git(root: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", "-C", str(root), *arguments], capture_output=True, text=True, timeout=10, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()
