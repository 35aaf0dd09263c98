"""A paid batch as its owner starts it, left to workers, and judged again later; what a stranger then can check."""

from __future__ import annotations

from pathlib import Path

from dataset.store.batches import get_batch
from dataset.store.session import Database
from tests.factories.command import Glassbench
from tests.factories.model_server import ModelServer, completion, listing, model_entry
from tests.factories.stored import assert_every_run_exactly_once, new_batch

KEY = "sk-" + "test" * 3 + "Zq9x" * 4


def test_a_paid_batch_starts_with_a_word_and_not_without(bank: Database, bank_url: str, home: Path) -> None:
    with ModelServer(lambda *_: completion("I can't say.", model="far-1"), listing=listing("far-1")) as server:
        settings = {"credential_env": "FAR_KEY", "model_id_status": "verified"}
        (home / "models.toml").write_text(model_entry("far", f"{server.url}/v1", **settings))
        command = Glassbench(home=home, database_url=bank_url, extra={"FAR_KEY": KEY})
        batch_id = new_batch(bank, home, "b1", template="tiny", models=["far"])
        assert command.error("batch", "run", batch_id)["code"] == "PREFLIGHT-CONFIRM-001"
        assert server.requests == []
        left = command.json("batch", "run", batch_id, "--yes", "--detach")
        assert left == {"batch_id": batch_id, "open_slices": 1}
        assert len(server.requests) == 1  # the canary
        assert get_batch(bank, batch_id).counts.recorded == 0
        done = command.json("batch", "run", batch_id, "--yes")
        assert (done["recorded"], done["invalid"], len(server.requests)) == (2, 0, 4)
    assert_every_run_exactly_once(bank, home, batch_id)


def test_recorded_answers_are_judged_again_published_and_verified(
    bank: Database, bank_url: str, home: Path, tmp_path: Path
) -> None:
    command = Glassbench(home=home, database_url=bank_url)
    source = new_batch(bank, home, "b1", template="tiny", models=["scripted-careful", "scripted-careless"])
    first = command.json("batch", "run", source)
    created = command.json("batch", "create", "--replay", source)
    assert (created["replay_of"], created["estimate"]) == (source, [])
    again = command.json("batch", "run", created["batch_id"])
    assert {**again, "batch_id": source} == first
    target = tmp_path / "showcase"
    command.run("publish", source, created["batch_id"], "--to", target)
    assert command.json("verify", target)["holds"] is True
    command.run("site", "build", "--from", target, "--to", tmp_path / "site")
    page = (tmp_path / "site" / "batches" / f"{created['batch_id']}.html").read_text()
    assert "replayed" in page
    assert "no model was asked" in page
