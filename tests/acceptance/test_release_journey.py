"""A release in its life: signed, held out, revealed, withdrawn, and checked by a stranger each time."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from dataset.canonical import read_canonical
from tests.factories.command import Glassbench

MINIMAL = Path(__file__).parents[1] / "data" / "packs" / "minimal"
CASE = "cases/dollar-rate.yaml"
QUESTION_SALT, GOLD_SALT = "1f" * 16, "2e" * 16
REASON = "The frozen rate was that of another day."


@pytest.fixture
def command(home: Path, database_url: str) -> Glassbench:
    return Glassbench(home=home, database_url=database_url)


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    """The smallest pack with its one case held out, and a script that the command can play."""
    copied = Path(shutil.copytree(MINIMAL, tmp_path / "pack"))
    script = (copied / "transcripts" / "plain" / "dollar-rate.yaml").read_text(encoding="utf-8")
    (copied / "transcripts" / "careful").mkdir()
    (copied / "transcripts" / "careful" / "dollar-rate.yaml").write_text(
        script.replace("style: plain", "style: careful"), encoding="utf-8"
    )
    text = (copied / CASE).read_text(encoding="utf-8")
    text = text.replace("question:\n", f"question:\n  withheld: [case]\n  salt: '{QUESTION_SALT}'\n", 1)
    (copied / CASE).write_text(text.replace("gold:\n", f"gold:\n  salt: '{GOLD_SALT}'\n", 1), encoding="utf-8")
    return copied


def finished_batch(command: Glassbench, pack: Path) -> str:
    command.run("pack", "import", pack)
    create = ("batch", "create", "--pack", "minimal", "--template", "all", "--model", "scripted-careful")
    batch_id = str(command.json(*create)["batch_id"])
    command.run("batch", "run", batch_id)
    return batch_id


def told_anywhere(directory: Path, words: bytes) -> list[str]:
    return [str(path) for path in directory.rglob("*") if path.is_file() and words in path.read_bytes()]


def test_a_held_out_case_is_published_revealed_and_withdrawn_and_each_step_can_be_checked(
    command: Glassbench, pack: Path, tmp_path: Path
) -> None:
    batch_id = finished_batch(command, pack)
    question = command.json("run", "show", f"{batch_id}-0001")["case"]["question"].encode()
    key, snapshot = tmp_path / "owner.skey", tmp_path / "showcase"
    vkey = command.json("key", "new", "example.org/bench", "--file", key)["verifier_key"]

    command.run("publish", batch_id, "--to", snapshot, "--key", key)
    kept = Path(shutil.copytree(snapshot, tmp_path / "kept"))
    held = command.json("verify", snapshot, "--key", vkey)
    assert held["holds"]
    assert set(held["withheld"]) >= {"case", "context", "gold", "output_checks"}
    site = tmp_path / "site"
    command.run("site", "build", "--from", snapshot, "--to", site)
    assert told_anywhere(snapshot, question) == told_anywhere(site, question) == []

    command.run("reveal", batch_id, "--to", snapshot, "--key", key)
    opened = command.json("verify", snapshot, "--key", vkey, "--previous", kept)
    assert (opened["holds"], opened["withheld"]) == (True, {})
    assert told_anywhere(snapshot / "runs", question)
    before, after = (
        read_canonical((root / "runs" / f"{batch_id}-0001.json").read_bytes()) for root in (kept, snapshot)
    )
    assert before["artifact_hash"] == after["artifact_hash"]
    assert "case" not in before

    command.run("withdraw", f"{batch_id}-0001", "--reason", REASON, "--to", snapshot, "--key", key)
    found = command.json("verify", snapshot, "--key", vkey, "--previous", kept)
    assert (found["holds"], found["previous"]["withdrawn"]) == (True, 1)
    command.run("site", "build", "--from", snapshot, "--to", site)
    page = (site / "runs" / f"{batch_id}-0001.html").read_text(encoding="utf-8")
    assert REASON in page
    assert before["artifact_hash"] in page
    told = command.json("verify", site, "--key", vkey, "--expected-checkpoint", kept / "log" / "checkpoint")
    assert (told["holds"], told["extends_expected_checkpoint"]) == (True, True)
    releases = command.json("release", "list", "--from", snapshot)
    assert len(releases) == 3


@pytest.mark.slow
def test_a_history_that_was_made_anew_is_told_from_the_one_that_was_kept(
    command: Glassbench, pack: Path, tmp_path: Path
) -> None:
    batch_id = finished_batch(command, pack)
    key = tmp_path / "owner.skey"
    vkey = command.json("key", "new", "example.org/bench", "--file", key)["verifier_key"]
    first, anew = tmp_path / "first", tmp_path / "anew"
    command.run("publish", batch_id, "--to", first, "--key", key)
    command.run("withdraw", f"{batch_id}-0001", "--reason", REASON, "--to", first, "--key", key)

    command.run("publish", batch_id, "--to", anew, "--key", key)
    assert command.json("verify", anew, "--key", vkey)["holds"]
    checkpoint = first / "log" / "checkpoint"
    rewritten = command.json("verify", anew, "--key", vkey, "--expected-checkpoint", checkpoint, code=5)
    assert (rewritten["holds"], rewritten["history_rewritten"]) == (False, True)
    assert command.json("verify", anew, "--previous", first, code=5)["history_rewritten"]


@pytest.mark.slow
def test_a_batch_judged_again_has_a_page_of_what_changed_beside_its_parent(
    command: Glassbench, pack: Path, tmp_path: Path
) -> None:
    parent = finished_batch(command, pack)
    again = str(command.json("batch", "create", "--replay", parent)["batch_id"])
    command.run("batch", "run", again)
    snapshot, site = tmp_path / "showcase", tmp_path / "site"
    command.run("publish", parent, again, "--to", snapshot)
    command.run("site", "build", "--from", snapshot, "--to", site)
    pages = [path for path in (site / "batches").iterdir() if "changes" in path.name]
    assert len(pages) == 1
    text = pages[0].read_text(encoding="utf-8")
    assert parent in text
    assert again in text
    for batch_id in (parent, again):
        assert pages[0].name in (site / "batches" / f"{batch_id}.html").read_text(encoding="utf-8")
    assert command.json("verify", site)["holds"]
    assert "not signed" in (site / "index.html").read_text(encoding="utf-8")
