"""The commands that make releases, on a real database: what they print, how they exit, what is registered."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner, Result

from dataset.home import HOME_VARIABLE
from dataset.store.releases import list_releases
from dataset.store.session import DATABASE_URL_VARIABLE, Database
from publisher.cli.commands import mount
from publisher.release_log.key_file import KEY_VARIABLE, new_key
from publisher.verification.snapshot import verify
from tests.factories import make_batch
from tests.integration.publisher.acts import REASON, content
from tests.integration.publisher.test_stored_batch import store

HELD_OUT = make_batch(model_keys=("careful",), withheld=("gold",))
SECOND = make_batch("batch-2", model_keys=("careful",), withheld=("gold",))
RUN = "batch-1-0001"
NAME = "example.org/bench"


@pytest.fixture(autouse=True)
def _somewhere(database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(DATABASE_URL_VARIABLE, database_url)
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "home"))
    monkeypatch.delenv(KEY_VARIABLE, raising=False)


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "showcase"


@pytest.fixture
def key(tmp_path: Path) -> Path:
    path = tmp_path / "kept" / "bench.skey"
    new_key(NAME, path)
    return path


def command(*arguments: str | Path, code: int = 0) -> Result:
    app = typer.Typer()
    mount(app, known_values=lambda _: {})
    done = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert done.exit_code == code, (done.stdout, done.exception)
    return done


def told(*arguments: str | Path) -> Any:
    return json.loads(command(*arguments, "--json").stdout)


def test_a_withheld_batch_of_the_database_is_published_revealed_and_withdrawn(
    database: Database, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store(database, HELD_OUT)
    assert told("publish", "batch-1", "--to", target)["signed_by"] == []
    revealed = told("reveal", "batch-1", "--case", "fund-nav", "--to", target)
    assert revealed["revealed"] == [
        {"case_id": "fund-nav", "parts": ["judgment", "output_checks", "gold"], "release": 2}
    ]
    monkeypatch.setenv(DATABASE_URL_VARIABLE, "postgresql://nobody@127.0.0.1:1/nothing")
    withdrawn = told("withdraw", RUN, "--reason", REASON, "--to", target)
    assert (withdrawn["release"], withdrawn["withdrawn"], withdrawn["changed"]) == (3, [RUN], True)
    assert verify(target).differences == ()


def test_what_was_done_is_told_to_people(database: Database, target: Path) -> None:
    store(database, HELD_OUT)
    done = command("publish", "batch-1", "--to", target)
    assert f"{target}: release 1; 1 batch, 6 runs" in done.stdout
    assert "not signed, which every page says" in done.stdout
    done = command("reveal", "batch-1", "--case", "fund-nav", "--to", target)
    assert "revealed of fund-nav: judgment, output_checks, gold" in done.stdout
    assert "2 run files changed\n" in done.stdout
    done = command("withdraw", RUN, "--reason", REASON, "--to", target)
    assert f"withdrawn: 1 run ({RUN})" in done.stdout
    assert "1 batch, 6 runs (1 withdrawn)" in done.stdout
    assert "1 report, 6 runs (1 withdrawn)" in command("verify", target).stdout
    assert f"{target}.previous: don't commit it" in done.stdout
    done = command("withdraw", RUN, "--reason", REASON, "--to", target)
    assert "unchanged" in done.stdout
    assert f"withdrawn before: 1 run ({RUN})" in done.stdout


def test_a_reveal_of_other_runs_than_those_published_exits_with_4(database: Database, target: Path) -> None:
    store(database, HELD_OUT)
    command("publish", "batch-1", "--to", target)
    run = target / "runs" / f"{RUN}.json"
    run.write_bytes(run.read_bytes().replace(b'"attempt":1', b'"attempt":2'))
    done = command("reveal", "batch-1", "--to", target, code=4)
    assert "GATE-CARRIED-001" in done.stdout
    assert target.with_name("showcase.refusal.json").is_file()


def test_a_secret_in_the_reason_exits_with_4(database: Database, target: Path) -> None:
    store(database, SECOND)
    command("publish", "batch-2", "--to", target)
    address = ".".join(("10", "1", "2", "3"))
    done = command("withdraw", "batch-2", "--reason", f"it was answered by {address}", "--to", target, code=4)
    assert "GATE-SCAN-001 reason" in done.stdout
    assert f"error [WITHDRAW-REFUSED-001]: withdrawing from {target} is refused: 1 fault" in done.stderr
    assert address not in target.with_name("showcase.refusal.json").read_text()


def test_releases_are_signed_by_the_key_that_is_named_in_the_environment_or_alone_in_its_directory(
    database: Database, target: Path, key: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for batch in (HELD_OUT, SECOND):
        store(database, batch)
    assert told("publish", "batch-1", "--to", target, "--key", key)["signed_by"] == [NAME]
    monkeypatch.setenv(KEY_VARIABLE, str(key))
    assert told("publish", "batch-2", "--to", target)["signed_by"] == [NAME]
    monkeypatch.delenv(KEY_VARIABLE)
    new_key("example.org/other", tmp_path / "home" / "keys" / "other.skey")
    done = command("withdraw", RUN, "--reason", REASON, "--to", target)
    assert "signed by example.org/other" in done.stdout
    assert verify(target).differences == ()


def test_a_signed_snapshot_needs_a_key_or_the_word_that_it_ends(database: Database, target: Path, key: Path) -> None:
    store(database, HELD_OUT)
    command("publish", "batch-1", "--to", target, "--key", key)
    before = content(target)
    for act in (("withdraw", RUN, "--reason", REASON), ("reveal", "batch-1")):
        error = command(*act, "--to", target, code=1).exception
        assert getattr(error, "code", None) == "PUBLISH-KEY-001"
        assert content(target) == before
    assert told("withdraw", RUN, "--reason", REASON, "--to", target, "--unsigned")["signed_by"] == []


@pytest.mark.parametrize("act", [("publish", "batch-1"), ("reveal", "batch-1"), ("withdraw", RUN, "--reason", REASON)])
def test_a_key_and_unsigned_together_are_wrong_usage(target: Path, key: Path, act: tuple[str, ...]) -> None:
    command(*act, "--to", target, "--key", key, "--unsigned", code=2)
    assert not target.exists()


def test_a_missing_key_file_is_refused_before_anything_else(target: Path, tmp_path: Path) -> None:
    error = command("publish", "batch-1", "--to", target, "--key", tmp_path / "none", code=1).exception
    assert getattr(error, "code", None) == "KEY-FILE-002"
    assert not target.exists()


def test_the_register_and_the_snapshot_tell_what_each_release_did(database: Database, target: Path, key: Path) -> None:
    for batch in (HELD_OUT, SECOND):
        store(database, batch)
    command("publish", "batch-1", "--to", target)
    command("publish", "batch-2", "--to", target, "--key", key)
    command("reveal", "batch-1", "--case", "fund-nav", "--to", target, "--key", key)
    command("withdraw", RUN, "--reason", REASON, "--to", target, "--key", key)
    rows = {row.number: row for row in list_releases(database)}
    assert {n: (row.batch_ids, row.revised_ids, row.signed_by) for n, row in rows.items()} == {
        1: (("batch-1",), (), ()),
        2: (("batch-2",), (), (NAME,)),
        3: ((), ("batch-1",), (NAME,)),
    }
    assert [fact["release"] for fact in told("release", "list")] == [3, 2, 1]
    facts = told("release", "list", "--from", target)
    assert [(fact["release"], fact["withdrawn"], len(fact["revealed"])) for fact in facts] == [
        (4, [RUN], 0),
        (3, [], 1),
        (2, [], 0),
        (1, [], 0),
    ]
    assert [fact["signed_by"] for fact in facts] == [[NAME], [NAME], [NAME], []]
    people = command("release", "list", "--from", target).stdout
    assert f"withdrew {RUN}" in people
    assert "revealed fund-nav: judgment, output_checks, gold" in people
    assert "nobody" in people
    registered = command("release", "list").stdout
    assert "added batch-2" in registered
    assert "withdrawals, and releases made from another database, aren't in it" in registered
    assert "from the register" not in people


@pytest.mark.parametrize("kind", ["missing", "no index", "broken"])
def test_releases_of_what_is_no_snapshot_are_an_error(tmp_path: Path, kind: str) -> None:
    place = tmp_path / "place"
    if kind != "missing":
        place.mkdir()
    if kind == "broken":
        (place / "index.json").write_text("{")
    error = command("release", "list", "--from", place, code=1).exception
    assert getattr(error, "code", None) == "PUBLISH-TARGET-004"
