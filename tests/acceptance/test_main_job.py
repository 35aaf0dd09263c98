"""The whole job through the installed command: bank, batch, release, verification, site."""

from __future__ import annotations

import json
from pathlib import Path

from dataset.artifacts.digest import open_artifact
from dataset.canonical import read_canonical
from tests.factories.command import Glassbench
from tests.factories.finance import FINANCE


def test_a_stranger_gets_from_an_empty_database_to_a_verified_site(
    empty_database_url: str, home: Path, tmp_path: Path
) -> None:
    command = Glassbench(home=home, database_url=empty_database_url)
    snapshot, site = tmp_path / "showcase-data", tmp_path / "_site"

    states = {f["subject"]: f["state"] for f in command.json("doctor", code=1)}
    assert states == {
        "python": "ok", "home": "ok", "postgresql": "ok", "schema": "blocked", "packs": "unknown", "provider": "ok",
    }  # fmt: skip
    upgraded = command.json("db", "upgrade")
    assert upgraded["before"] is None
    assert command.json("db", "upgrade") == {"before": upgraded["after"], "after": upgraded["after"]}
    assert command.json("db", "status")["schema"] == "current"

    assert command.json("pack", "check", FINANCE) == {"ok": True, "faults": []}
    first = command.json("pack", "import", FINANCE)
    assert len(first["added"]) > 100
    again = command.json("pack", "import", FINANCE)
    assert (again["added"], again["unchanged"]) == ([], len(first["added"]))

    assert {t["id"] for t in command.json("template", "list")} == {"context", "contrast", "english", "prompt"}
    assert command.json("template", "show", "english")["variants"] == ["en-scoped-full"]
    assert {m["key"] for m in command.json("model", "list")} == {"scripted-careful", "scripted-careless"}

    wanted = ("--template", "english", "--model", "scripted-careful", "--model", "scripted-careless")
    sized = command.json("batch", "create", *wanted, "--estimate")
    assert sized["batch_id"] is None
    assert [e["runs"] for e in sized["estimate"]] == [20, 20]
    assert command.json("batch", "list") == []
    created = command.json("batch", "create", *wanted)
    batch_id = created["batch_id"]
    assert created["definition_hash"] == sized["definition_hash"]

    ran = command.run("batch", "run", batch_id)
    assert f"finished {batch_id}: " in ran.out
    assert ran.err.splitlines()[-1].startswith("40/40 passed ")
    reported = command.json("batch", "status", batch_id)
    assert reported["finished_at"] is not None
    assert {key: m["planned"] for key, m in reported["models"].items()} == {
        "scripted-careful": 20, "scripted-careless": 20,
    }  # fmt: skip
    assert [(b["state"], b["recorded"]) for b in command.json("batch", "list")] == [("finished", 40)]

    run_id = f"{batch_id}-0001"
    shown = command.run("run", "show", run_id, "--json").out
    assert shown.encode() == (home / "runs" / f"{run_id}.json").read_bytes()
    assert open_artifact(shown.encode()).run_id == run_id
    told = [json.loads(line) for line in command.run("run", "events", run_id, "--follow", "--json").out.splitlines()]
    assert told[-1]["kind"] == "run_finished"

    published = command.json("publish", batch_id, "--to", snapshot)
    assert (published["changed"], published["batches"], published["runs"]) == (True, 1, 40)
    before = {path: path.read_bytes() for path in snapshot.rglob("*") if path.is_file()}
    assert command.json("publish", batch_id, "--to", snapshot)["changed"] is False
    assert {path: path.read_bytes() for path in snapshot.rglob("*") if path.is_file()} == before
    assert (snapshot / "runs" / f"{run_id}.json").read_bytes() == shown.encode()
    assert [r["batches"] for r in command.json("release", "list")] == [[batch_id]]

    assert command.json("scan", snapshot) == {"findings": []}
    assert command.json("verify", snapshot)["differences"] == []
    built = command.json("site", "build", "--from", snapshot, "--to", site)
    assert built["pages"] > 40
    assert batch_id in (site / "index.html").read_text(encoding="utf-8")
    assert command.json("doctor")[-1]["state"] == "ok"

    report = next((snapshot / "reports").iterdir())
    report.write_bytes(report.read_bytes().replace(b'"passed":', b'"passed": ', 1))
    assert command.json("verify", snapshot, code=5)["differences"]
    refused = command.json("publish", batch_id, "--to", snapshot, code=4)
    assert refused["refused"]
    beside = read_canonical((tmp_path / "showcase-data.refusal.json").read_bytes())
    assert len(beside["faults"]) == len(refused["refused"])


def test_the_same_job_reads_well_for_people(bank_url: str, home: Path) -> None:
    command = Glassbench(home=home, database_url=bank_url)
    created = command.run("batch", "create", "--template", "tiny", "--model", "scripted-careful")
    batch_id = created.out.partition("created ")[2].split()[0]
    assert "unknown: no price in the model" in " ".join(created.out.split())
    assert "0 of 2 runs recorded" in command.run("batch", "status", batch_id).out
    assert f"glassbench publish {batch_id}" in command.run("batch", "run", batch_id).out
    assert "2 / 2" in command.run("batch", "status", batch_id).out
    shown = command.run("run", "show", f"{batch_id}-0001").out
    for word in ("(synthetic)", "question", "timeline", "answer", "assertions", "hash"):
        assert word in shown
