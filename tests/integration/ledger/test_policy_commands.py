from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import text

from dataset.store.session import Database
from engine.ledger.policy import DEFAULT_POLICY
from tests.factories.command import Glassbench
from tests.integration.store.ledger_book import admit, ask, open_book

POLICY = """
currency = "USD"
backlog = 5

[global]
cost = 12.50
requests = 1000

[model."*"]
concurrency = 2

[model.large]
concurrency = 1
tokens_per_minute = 100000
"""


@pytest.fixture
def glassbench(tmp_path: Path, database: Database, database_url: str) -> Glassbench:
    return Glassbench(home=tmp_path, database_url=database_url)


def written(tmp_path: Path, content: str, name: str = "policy.toml") -> Path:
    file = tmp_path / name
    file.write_text(content, encoding="utf-8")
    return file


def activations(database: Database) -> int:
    with database.transaction() as connection:
        return int(connection.execute(text("SELECT count(*) FROM policy_activation")).scalar_one())


def test_showing_before_anything_is_applied_reads_and_makes_nothing(glassbench: Glassbench, database: Database) -> None:
    shown = glassbench.json("policy", "show")
    assert (shown["hash"], shown["active"]) == (DEFAULT_POLICY.digest(), False)
    assert "this default becomes active with the first batch" in glassbench.run("policy", "show").out
    assert glassbench.json("policy", "list") == []
    assert activations(database) == 0


def test_applied_policy_is_active_and_the_same_again_changes_nothing(
    glassbench: Glassbench, database: Database, tmp_path: Path
) -> None:
    file = written(tmp_path, POLICY)
    first = glassbench.json("policy", "apply", file)
    assert (first["changed"], first["known_before"], first["replaced"]) == (True, False, None)
    assert glassbench.json("policy", "apply", file)["changed"] is False
    assert activations(database) == 1
    shown = glassbench.json("policy", "show")
    assert (shown["hash"], shown["active"]) == (first["hash"], True)
    assert shown["policy"]["global"]["cost"] == "12.5"
    assert shown["policy"]["model"]["large"] == {
        "concurrency": 1,
        "cost": None,
        "requests": None,
        "requests_per_minute": None,
        "tokens": None,
        "tokens_per_minute": 100000,
    }


def test_old_policy_comes_back_under_its_old_id_with_an_event(
    glassbench: Glassbench, database: Database, tmp_path: Path
) -> None:
    old = glassbench.json("policy", "apply", written(tmp_path, POLICY))["hash"]
    glassbench.json("policy", "apply", written(tmp_path, "backlog = 7\n", "other.toml"))
    back = glassbench.json("policy", "apply", written(tmp_path, POLICY))
    assert (back["hash"], back["changed"], back["known_before"]) == (old, True, True)
    assert [p["hash"] == old for p in glassbench.json("policy", "list")] == [True, False]
    with database.transaction() as connection:
        subjects = connection.execute(
            text("SELECT subject FROM audit_event WHERE kind = 'policy_activated' ORDER BY number")
        ).scalars()
        assert [subject == old for subject in subjects] == [True, False, True]


def test_check_says_what_would_happen_and_does_nothing(
    glassbench: Glassbench, database: Database, tmp_path: Path
) -> None:
    file = written(tmp_path, POLICY)
    told = glassbench.run("policy", "apply", file, "--check").out
    assert "would become active" in told
    assert activations(database) == 0
    assert glassbench.json("policy", "apply", file, "--check")["changed"] is False


def test_policy_of_another_currency_is_refused_once_something_was_charged(
    glassbench: Glassbench, database: Database, tmp_path: Path
) -> None:
    file = written(tmp_path, 'currency = "EUR"\n')
    open_book(database)
    assert glassbench.json("policy", "apply", file, "--check")["would_change"] is True
    admit(database, ask())
    error = glassbench.error("policy", "apply", file)
    assert error["code"] == "LEDGER-CURRENCY-001"
    assert "counts in EUR" in error["message"]
    assert glassbench.json("policy", "show")["hash"] == DEFAULT_POLICY.digest()


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("[global]\nrequest = 5\n", "global.request: unknown setting; did you mean requests?"),
        ("[globl]\nrequests = 5\n", "globl: unknown setting; did you mean global?"),
        ("[global]\ncost = -1\n", "global.cost:"),
        ("[batch.mine]\ncost = 1\n", 'only [batch."*"] can be limited here'),
        ("[global\n", "is not valid TOML"),
        ('quantum = "many"\n', "quantum:"),
    ],
)
def test_faulty_file_is_told_with_its_place(glassbench: Glassbench, tmp_path: Path, content: str, told: str) -> None:
    error = glassbench.error("policy", "apply", written(tmp_path, content))
    assert error["code"] == "LEDGER-POLICY-003"
    assert told in error["message"]
    assert "policy.toml" in error["message"]


def test_missing_file_is_told(glassbench: Glassbench, tmp_path: Path) -> None:
    assert "can't be read" in glassbench.error("policy", "apply", tmp_path / "nowhere.toml")["message"]


def test_policy_is_found_by_the_start_of_its_hash(glassbench: Glassbench, tmp_path: Path) -> None:
    digest = glassbench.json("policy", "apply", written(tmp_path, POLICY))["hash"]
    glassbench.json("policy", "apply", written(tmp_path, "backlog = 7\n"))
    shown = glassbench.json("policy", "show", digest[:10])
    assert (shown["hash"], shown["active"]) == (digest, False)
    assert "no policy has a hash that starts with 0000" in glassbench.error("policy", "show", "0000")["message"]


def test_table_fits_a_hundred_columns(glassbench: Glassbench, tmp_path: Path) -> None:
    out = glassbench.run("policy", "apply", written(tmp_path, POLICY)).out
    assert "model large" in out
    assert max(len(line.rstrip()) for line in out.splitlines()) <= 100
