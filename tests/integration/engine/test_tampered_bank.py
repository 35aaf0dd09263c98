"""A bank that changed after a batch was frozen: a reply is refused call by call, everything else at once."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest
from sqlalchemy.engine import make_url

from dataset.artifacts.digest import open_artifact
from dataset.store.batches import get_batch
from dataset.store.rebuilt import BankHashError
from dataset.store.session import Database
from engine.batches.composition import ModelChangedError, load_frozen
from tests.factories.stored import new_batch, run_batch, stored_artifacts

MODEL = """
[[models]]
key = "far"
display_name = "Far"
family = "f"
provider = "p"
wire_api = "openai_chat"
model_id = "far-1"
base_url = "http://127.0.0.1:9/v1"
parameters = {{ temperature = {temperature} }}
"""


def tamper(url: str, table: str, column: str, old: str, new: str) -> int:
    """Replaces text in a bytea column behind the program's back; how many rows it hit."""
    with psycopg.connect(
        make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
    ) as connection:
        connection.execute("SET session_replication_role = replica")  # no trigger stands in a tamperer's way
        statement = (
            f"UPDATE {table} SET {column} = convert_to(replace(convert_from({column}, 'UTF8'), %s, %s), 'UTF8')"
            f" WHERE position(%s in convert_from({column}, 'UTF8')) > 0"
        )
        return connection.execute(statement, (old, new, old)).rowcount


def test_a_reply_changed_in_the_database_is_refused_with_G6_FIXTURE_002(
    bank: Database, bank_url: str, home: Path
) -> None:
    batch_id = new_batch(bank, home, "b1", template="tiny", models=["scripted-careful"])
    assert (
        tamper(
            bank_url,
            "fixture",
            "content",
            '"status":"ok","tool":"quote_latest"',
            '"status":"error","tool":"quote_latest"',
        )
        > 0
    )
    run_batch(bank, home, batch_id)
    found = [open_artifact(data) for data in stored_artifacts(bank, batch_id).values()]
    quote = next(artifact for artifact in found if artifact.case.case_id == "quote-latest-price")
    assert "G6-FIXTURE-002" in {check.code for check in quote.guardrail_checks}
    assert quote.judgment.verdict == "fail"


def test_a_question_changed_in_the_database_stops_the_batch_by_name(bank: Database, bank_url: str, home: Path) -> None:
    batch_id = new_batch(bank, home, "b1", template="tiny", models=["scripted-careful"])
    assert tamper(bank_url, "question", "content", "quote-latest-price", "quote-latest-prize") == 1
    with pytest.raises(BankHashError, match="question quote-latest-price@1"):
        load_frozen(bank, get_batch(bank, batch_id))


def test_a_model_whose_entry_changed_is_refused_and_nothing_runs(bank: Database, home: Path) -> None:
    (home / "models.toml").write_text(MODEL.format(temperature="0"))
    batch_id = new_batch(bank, home, "b1", template="tiny", models=["far"])
    (home / "models.toml").write_text(MODEL.format(temperature="0.5"))
    with pytest.raises(ModelChangedError, match="far") as caught:
        run_batch(bank, home, batch_id)
    assert caught.value.code == "BATCH-MODEL-001"
    assert get_batch(bank, batch_id).counts.recorded == 0
