"""A pack with a held-out case, from the first check to a batch: what is withheld is told at every step."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from dataset.questions.withholding import closed
from tests.factories.command import Glassbench

MINIMAL = Path(__file__).parents[1] / "data" / "packs" / "minimal"
CASE = "cases/dollar-rate.yaml"
PARTS = list(closed(["case"]))
LINE = f"withheld: {', '.join(PARTS)} of 1 of 1 case"


@pytest.fixture
def command(home: Path, database_url: str) -> Glassbench:
    return Glassbench(home=home, database_url=database_url)


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    copied = Path(shutil.copytree(MINIMAL, tmp_path / "pack"))
    put(copied, "question:\n", "  withheld: [case]\n")
    return copied


def put(pack: Path, after: str, line: str) -> None:
    text = (pack / CASE).read_text()
    (pack / CASE).write_text(text.replace(after, after + line, 1))


def test_an_owner_pastes_the_salts_that_check_prints_and_is_told_what_is_withheld(
    command: Glassbench, pack: Path
) -> None:
    refused = command.run("pack", "import", pack, code=1)
    assert "PACK-WITHHELD-001" in refused.err
    assert "nothing was imported" in refused.err

    checked = command.run("pack", "check", pack, code=1)
    salts = re.findall(r"salt: '[0-9a-f]{32}'", checked.out)
    assert len(set(salts)) == 2
    for after, salt in zip(("question:\n", "gold:\n"), salts, strict=True):
        put(pack, after, f"  {salt}\n")

    assert LINE in command.run("pack", "check", pack).out.splitlines()
    assert command.json("pack", "check", pack)["withheld"] == {"dollar-rate": PARTS}
    command.run("pack", "import", pack)

    create = ("batch", "create", "--pack", "minimal", "--template", "all", "--model", "scripted-careful")
    assert LINE in command.run(*create, "--estimate").out.splitlines()
    assert command.json(*create, "--estimate")["withheld"] == {"dollar-rate": PARTS}
    created = command.json(*create)
    assert created["withheld"] == {"dollar-rate": PARTS}
    assert f"  {LINE}" in command.run("batch", "status", created["batch_id"]).out.splitlines()
    assert command.json("batch", "status", created["batch_id"])["withheld"] == {"dollar-rate": PARTS}
