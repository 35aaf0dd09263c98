"""Names of processes by which another one on the same machine can tell for certain that one is gone."""

from __future__ import annotations

import os
import secrets
import socket
from dataclasses import dataclass
from pathlib import Path

_PROC = Path("/proc")


@dataclass(frozen=True, kw_only=True, slots=True)
class ProcessIdentity:
    """A process of one boot of one machine. Where the system tells nothing of its processes, `ground` is random."""

    ground: str
    pid: int
    started: str
    nonce: str

    def __str__(self) -> str:
        return f"{self.ground}/{self.pid}/{self.started}/{self.nonce}"


def own_identity() -> ProcessIdentity:
    """This process, under a name that no other ever has."""
    pid = os.getpid()
    return ProcessIdentity(ground=_ground(), pid=pid, started=_started(pid) or "0", nonce=secrets.token_hex(4))


def is_surely_dead(name: str) -> bool:
    """Whether the process of this name ran on this boot of this machine and is gone; False where nobody can tell."""
    ground, _, rest = name.partition("/")
    parts = rest.split("/")
    if len(parts) != 3 or not parts[0].isdigit() or ground != _ground():
        return False
    return _started(int(parts[0])) != parts[1]


def _ground() -> str:
    """Host, boot and process-id namespace: within one, a process id and its start name a process."""
    try:
        boot = (_PROC / "sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        namespace = str((_PROC / "self/ns/pid").readlink())
    except OSError:
        return f"{socket.gethostname()}-{secrets.token_hex(8)}"
    return f"{socket.gethostname()}-{boot[:8]}-{namespace.removeprefix('pid:').strip('[]')}"


def _started(pid: int) -> str | None:
    """When a process started, in the kernel's ticks; None where there is none (a zombie has ended, too)."""
    try:
        fields = (_PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] in ("Z", "X") else fields[19]
