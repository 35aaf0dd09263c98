"""The command as a whole: what it offers and how each part explains itself."""

from __future__ import annotations

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from engine.cli.root import app

COMMANDS = {
    *("batch cancel", "batch create", "batch list", "batch pause", "batch resume", "batch retry", "batch run"),
    *("batch stats", "batch status", "db status", "db stop", "db upgrade", "doctor", "key new", "key show"),
    *("ledger archive", "ledger audit", "ledger export", "ledger show", "ledger verify"),
    *("policy apply", "policy list", "policy show"),
    *("credential list", "credential remove", "credential rotate", "credential set"),
    *("model list", "model show", "pack check", "pack import", "publish", "release list", "run events", "run show"),
    *("scan", "site build", "site serve", "template list", "template show", "verify"),
    *("preview", "reveal", "stats", "tokens", "withdraw", "worker"),
}
NOT_FOR_MACHINES = {"site serve", "worker"}


def offered() -> dict[str, object]:
    root = get_command(app)
    found: dict[str, object] = {}
    for name, command in root.commands.items():  # type: ignore[attr-defined]
        inner = getattr(command, "commands", None)
        found |= {f"{name} {sub}": part for sub, part in inner.items()} if inner else {name: command}
    return found


def test_every_command_of_the_issue_is_there_and_no_other() -> None:
    assert set(offered()) == COMMANDS


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_explains_itself_and_speaks_json(name: str) -> None:
    result = CliRunner().invoke(app, [*name.split(), "--help"])
    assert result.exit_code == 0
    assert f"Usage: glassbench {name}" in result.output or f"Usage: root {name}" in result.output
    assert ("--json" in result.output) is (name not in NOT_FOR_MACHINES)
