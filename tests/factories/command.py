"""The installed `glassbench` command in processes of its own, with nothing of this process's environment."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

COMMAND = Path(sys.executable).with_name("glassbench")


@dataclass(frozen=True, kw_only=True)
class Done:
    """A command that ended."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        """What it printed, as JSON."""
        return json.loads(self.out)


@dataclass(frozen=True, kw_only=True)
class Glassbench:
    """The command with its own state directory; without `database_url` it uses an embedded server below it."""

    home: Path
    database_url: str | None = None
    extra: Mapping[str, str] = field(default_factory=dict)

    @property
    def environment(self) -> dict[str, str]:
        """All that the command can see."""
        found = {"PATH": os.defpath, "HOME": str(self.home), "GLASSBENCH_HOME": str(self.home), "LANG": "C.UTF-8"}
        if self.database_url is not None:
            found["GLASSBENCH_DATABASE_URL"] = self.database_url
        return {**found, **self.extra}

    def run(self, *arguments: str | Path, code: int = 0) -> Done:
        """Runs to the end; AssertionError where the exit code is another, or there is a traceback."""
        ended = subprocess.run(
            [COMMAND, *arguments], env=self.environment, capture_output=True, text=True, timeout=120, check=False
        )
        assert ended.returncode == code, (arguments, ended.returncode, ended.stdout[-2000:], ended.stderr[-2000:])
        assert "Traceback" not in ended.stderr, ended.stderr
        return Done(code=ended.returncode, out=ended.stdout, err=ended.stderr)

    def json(self, *arguments: str | Path, code: int = 0) -> Any:
        """What it prints with `--json`."""
        return self.run(*arguments, "--json", code=code).json()

    def error(self, *arguments: str | Path) -> dict[str, str]:
        """The error it ends with: code, message and hint."""
        ended = self.run(*arguments, "--json", code=1)
        found = json.loads(ended.err.splitlines()[-1])["error"]
        assert set(found) == {"code", "message", "hint"}
        return {name: str(value) for name, value in found.items()}

    def start(self, *arguments: str | Path) -> subprocess.Popen[str]:
        """A running command in a session of its own."""
        return subprocess.Popen(
            [COMMAND, *arguments],
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
