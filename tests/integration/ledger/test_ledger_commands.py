from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from dataset.store.session import Database
from engine.ledger.policy import Policy
from tests.factories.command import Glassbench
from tests.integration.store.ledger_book import admit, ask, end, force, open_book, send

POLICY = Policy.model_validate({"global": {"cost": "2", "concurrency": 4}})


@pytest.fixture
def glassbench(tmp_path: Path, database: Database, database_url: str) -> Glassbench:
    return Glassbench(home=tmp_path, database_url=database_url)


def write_story(database: Database) -> None:
    """A settled candidate, a judge that nobody heard of again, and an open canary."""
    open_book(database, POLICY)
    candidate, judge, _ = admit(
        database,
        ask(1, policy=POLICY),
        ask(2, policy=POLICY, role="judge", model_key="strict"),
        ask(3, policy=POLICY, role="canary", lease_token=None),
        policy=POLICY,
    )
    send(database, candidate, judge)
    end(
        database,
        candidate,
        input_tokens=90,
        output_tokens=20,
        cost=Decimal("0.3"),
        charge=Decimal("0.3"),
        status=200,
    )
    end(database, judge, code="read_timeout")


def test_empty_ledger_says_so_and_is_sound(glassbench: Glassbench) -> None:
    assert "the ledger is empty" in glassbench.run("ledger", "show").out
    assert "every total is what the attempts add up to (0 attempts, 0 scopes)" in glassbench.run("ledger", "audit").out


def test_attempts_are_shown_with_what_they_did_and_cost(glassbench: Glassbench, database: Database) -> None:
    write_story(database)
    shown = glassbench.json("ledger", "show", "--batch", "b1")
    assert [(a["call_key"], a["role"], a["state"], a["code"], a["status"]) for a in shown["attempts"]] == [
        ("call-00001", "candidate", "settled_actual", None, 200),
        ("call-00002", "judge", "settled_conservative", "read_timeout", None),
        ("call-00003", "canary", "reserved", None, None),
    ]
    first = shown["attempts"][0]
    assert (first["actual_cost"], first["reserved_cost"], first["actual_input"]) == ("0.3", "0.5", 90)
    assert first["sent_at"].endswith("Z")


def test_cost_of_judges_stands_apart_and_an_unknown_cost_is_no_number(
    glassbench: Glassbench, database: Database
) -> None:
    write_story(database)
    spent = glassbench.json("ledger", "show")["spent"]
    assert [(s["role"], s["cost"], s["unpriced"]) for s in spent] == [("candidate", "0.3", 0), ("judge", None, 1)]


def test_what_is_left_of_every_limit_is_shown(glassbench: Glassbench, database: Database) -> None:
    write_story(database)
    out = glassbench.run("ledger", "show").out
    line = next(line.split() for line in out.splitlines() if "cost USD" in line)
    assert line == ["global", "cost", "USD", "0.8", "0.5", "2", "0.7"]
    at_once = next(line.split() for line in out.splitlines() if "calls at once" in line)
    assert at_once[-3:] == ["1", "4", "3"]
    scopes = glassbench.json("ledger", "show")["scopes"]
    assert scopes[0]["limits"] == {"concurrency": 4, "cost": "2"}


def test_only_what_matches_is_shown(glassbench: Glassbench, database: Database) -> None:
    write_story(database)
    shown = glassbench.json("ledger", "show", "--model", "strict")
    assert [a["call_key"] for a in shown["attempts"]] == ["call-00002"]
    assert [s["key"] for s in shown["scopes"]] == ["", "cloud", "strict", "b1"]
    assert "error [MODEL-KEY-001]" in glassbench.run("ledger", "show", "--model", "nobody", code=1).err
    assert glassbench.error("ledger", "show", "--batch", "b2")["code"] == "BATCH-UNKNOWN-001"
    assert glassbench.error("ledger", "show", "--run", "b1-9999")["code"] == "RUN-UNKNOWN-001"


def test_only_the_newest_are_listed_and_the_title_says_of_how_many(glassbench: Glassbench, database: Database) -> None:
    write_story(database)
    out = glassbench.run("ledger", "show", "--newest", "1").out
    assert "the newest 1 of 3 attempts" in out
    assert "call-00003#1" in out
    assert "call-00001#1" not in out


def test_tables_fit_a_hundred_columns(glassbench: Glassbench, database: Database) -> None:
    write_story(database)
    for command in ("show", "audit"):
        out = glassbench.run("ledger", command).out
        assert max(len(line.rstrip()) for line in out.splitlines()) <= 100, out


def test_audit_lists_what_is_open_and_what_is_overdrawn(glassbench: Glassbench, database: Database) -> None:
    write_story(database)
    (key,) = admit(database, ask(4, policy=POLICY), policy=POLICY)
    send(database, key)
    end(database, key, input_tokens=500, output_tokens=1, cost=Decimal("0.1"), charge=Decimal("0.1"))
    found = glassbench.json("ledger", "audit")
    assert found["drift"] == []
    assert [(a["call_key"], a["state"], a["lease_token"]) for a in found["open"]] == [("call-00003", "reserved", None)]
    assert [s["kind"] for s in found["overdrawn"]] == ["global", "provider", "model", "batch"]
    assert "model small is overdrawn" in glassbench.run("ledger", "audit").out


def test_audit_ends_with_3_where_a_total_has_drifted(glassbench: Glassbench, database: Database) -> None:
    write_story(database)
    force(database, "UPDATE ledger_scope SET charge = 0 WHERE kind = 'global'")
    force(database, "DELETE FROM ledger_minute WHERE kind = 'model' AND key = 'strict'")
    found = glassbench.json("ledger", "audit", code=3)["drift"]
    assert [(d["kind"], d["figure"], d["kept"], d["recomputed"]) for d in found] == [
        ("global", "charge", "0", "1.3"),
        ("model", "requests", "no row", "1"),
        ("model", "tokens", "no row", "150"),
    ]
    out = glassbench.run("ledger", "audit", code=3).out
    assert "nothing is admitted" in out
    assert "1.3" in out


def test_changed_policy_is_an_error_of_its_own(glassbench: Glassbench, database: Database) -> None:
    write_story(database)
    force(database, "UPDATE policy SET content = convert_to(replace(convert_from(content,'UTF8'),'64','65'),'UTF8')")
    assert glassbench.error("ledger", "audit")["code"] == "LEDGER-POLICY-001"
