"""Servers that answer as badly as they can: every run gets a named end, nothing secret stays, nothing is published."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psycopg
import pytest
from sqlalchemy.engine import make_url

from dataset.artifacts.artifact import Artifact, ToolStep
from dataset.artifacts.digest import open_artifact
from dataset.record import BatchId, RunId
from dataset.store.batches import get_batch
from dataset.store.runs import EventRow
from dataset.store.session import Database
from tests.factories.command import Glassbench
from tests.factories.model_server import ModelServer, completion, model_entry, response
from tests.factories.recording import append_events, begin_attempt
from tests.factories.stored import assert_every_run_exactly_once, new_batch, stored_artifacts

KEY = "sk-" + "test" * 3 + "Zq9/+x" * 4
"""No real key: put together here so that no scanner takes it for one."""
FAULTS: dict[str, tuple[str, Callable[[], bytes]]] = {
    "html": ("invalid_response", lambda: response(b"<html>Welcome</html>", content_type="text/html")),
    "empty": ("empty_response", lambda: response(b"")),
    "error-object": ("invalid_response", lambda: response(b'{"error": {"message": "no such model"}}')),
    "wrong-type": ("invalid_response", lambda: response(b'{"choices": []}', content_type="text/plain")),
    "truncated": ("invalid_response", lambda: response(b'{"choices": [{"message": {"content": "hal')),
    "cut": ("network_error", lambda: response(b'{"choices": [', length=5000)),
    "busy": ("rate_limited", lambda: response(b'{"error": {"message": "slow down"}}', status=429)),
    "broken": ("provider_5xx", lambda: response(b"oops", status=500, content_type="text/plain")),
    "locked": ("authentication_error", lambda: response(b'{"error": {"message": "bad key"}}', status=401)),
    "array": ("invalid_response", lambda: response(b"[]")),
    "deep": ("invalid_response", lambda: response(b'{"choices":' + b"[" * 100_000 + b"]" * 100_000 + b"}")),
}
ARGUMENTS = {
    "list": ('["x"]', "G5-SCHEMA-001"),
    "null": ("null", "G5-SCHEMA-001"),
    "half": ('{"symbol": "AB', "G5-SCHEMA-002"),
    "nested": ('{"symbol":' * 1_000 + "1" + "}" * 1_000, "G5-SCHEMA-002"),
}


def by_model(database: Database, batch_id: Any) -> dict[str, list[Artifact]]:
    found: dict[str, list[Artifact]] = {}
    for data in stored_artifacts(database, batch_id).values():
        artifact = open_artifact(data)
        found.setdefault(artifact.provenance.model.key, []).append(artifact)
    return found


def test_each_fault_of_a_server_makes_its_runs_invalid_by_name_and_publishing_refuses(
    bank: Database, bank_url: str, home: Path, tmp_path: Path
) -> None:
    asked: set[str] = set()

    def answer_once_then_fail(path: str, body: Mapping[str, Any], headers: Mapping[str, str]) -> bytes:
        if path in asked:
            return FAULTS[path.split("/")[1]][1]()
        asked.add(path)
        return completion("I can't say.")

    with ModelServer(answer_once_then_fail) as server:
        entries = [model_entry(name, f"{server.url}/{name}/v1", concurrency=1) for name in FAULTS]
        (home / "models.toml").write_text("".join(entries))
        batch_id = new_batch(bank, home, "b1", template="tiny", models=list(FAULTS))
        ended = Glassbench(home=home, database_url=bank_url).run("batch", "run", batch_id)
    assert f"0 passed, {len(FAULTS)} failed, {len(FAULTS)} invalid" in ended.out
    assert_every_run_exactly_once(bank, home, batch_id)
    reasons = {key: {a.judgment.invalid_reason for a in found} for key, found in by_model(bank, batch_id).items()}
    assert reasons == {name: {None, code} for name, (code, _) in FAULTS.items()}

    target = tmp_path / "showcase"
    refused = Glassbench(home=home, database_url=bank_url).json("publish", batch_id, "--to", target, code=4)["refused"]
    assert {fault["code"] for fault in refused} == {"GATE-VALID-001"}
    assert len(refused) == len(FAULTS)
    assert json.loads((tmp_path / "showcase.refusal.json").read_bytes())["faults"] == refused
    assert not target.exists()


def test_a_server_that_never_answered_stops_the_batch_until_it_is_mended(
    bank: Database, bank_url: str, home: Path
) -> None:
    command = Glassbench(home=home, database_url=bank_url)
    batch_id = None
    for name in ("html", "empty", "locked", "nobody"):
        with ModelServer(lambda *_: FAULTS["html" if name == "nobody" else name][1]()) as server:  # noqa: B023
            url = "http://127.0.0.1:1/v1" if name == "nobody" else f"{server.url}/v1"
            (home / "models.toml").write_text(model_entry("far", url))
            batch_id = batch_id or new_batch(bank, home, "b1", template="tiny", models=["far"])
            found = command.error("batch", "run", batch_id)
        assert found["code"] == "BATCH-MODEL-002"
        reason = "network_error" if name == "nobody" else FAULTS[name][0]
        assert f"model far can't be asked: {reason}" in found["message"]
        assert get_batch(bank, batch_id).counts.recorded == 0
    with ModelServer(lambda *_: completion("I can't say.")) as server:
        (home / "models.toml").write_text(model_entry("far", f"{server.url}/v1"))
        command.run("batch", "run", batch_id or "")
    assert set(assert_every_run_exactly_once(bank, home, BatchId("b1"))) == {"b1-0001", "b1-0002"}


def test_wild_calls_over_the_wire_are_refused_by_code_and_the_run_goes_on(
    bank: Database, bank_url: str, home: Path
) -> None:
    def call(path: str, body: Mapping[str, Any], headers: Mapping[str, str]) -> bytes:
        if any(message["role"] == "tool" for message in body["messages"]):
            for message in body["messages"]:
                for made in message.get("tool_calls", []):
                    assert isinstance(json.loads(made["function"]["arguments"]), dict)
            return completion("I can't say.")
        name = path.split("/")[1]
        if name == "unknown":
            return completion(calls=[("no_such_tool", "{}")])
        first = body["tools"][0]["function"]["name"]
        return completion(calls=[(first, ARGUMENTS[name][0])])

    wanted = {"unknown": "G1-VIS-001", **{name: code for name, (_, code) in ARGUMENTS.items()}}
    with ModelServer(call) as server:
        (home / "models.toml").write_text("".join(model_entry(n, f"{server.url}/{n}/v1") for n in wanted))
        batch_id = new_batch(bank, home, "b1", template="tiny", models=list(wanted))
        Glassbench(home=home, database_url=bank_url).run("batch", "run", batch_id)
    for key, artifacts in by_model(bank, batch_id).items():
        for artifact in artifacts:
            (step,) = [step for step in artifact.steps if isinstance(step, ToolStep)]
            assert (step.outcome, step.code) == ("refused", wanted[key])
            if key in ARGUMENTS:
                assert step.arguments_raw == ARGUMENTS[key][0]
            assert (artifact.result.status, artifact.judgment.verdict) == ("completed", "fail")
            assert artifact.provenance.model.returned == ("served-1",)


def test_a_key_that_a_server_sends_back_stays_nowhere(bank: Database, bank_url: str, home: Path) -> None:
    spellings = [KEY, quote(KEY, safe=""), base64.b64encode(KEY.encode()).decode(), json.dumps(KEY)[1:-1]]
    seen: list[str] = []
    good: list[str] = []

    def echo(path: str, body: Mapping[str, Any], headers: Mapping[str, str]) -> bytes:
        seen.append(headers["Authorization"])
        said = " ".join(spellings)
        if path.startswith("/error"):
            if len(good) < 2:  # the canary, and one run, so that what comes then is an invalid run
                good.append(path)
                return completion(said, model=body["model"])
            return response(json.dumps({"error": {"message": said, "code": KEY}}).encode(), status=400)
        if any(message["role"] == "tool" for message in body["messages"]):
            return completion(said, model=body["model"])
        return completion(said, calls=[(KEY, json.dumps({KEY: spellings}))], model=body["model"])

    with ModelServer(echo) as server:
        settings = {"credential_env": "ECHO_MODEL_KEY", "concurrency": 1, "model_id_status": "verified"}
        entries = [model_entry(n, f"{server.url}/{n}/v1", **settings) for n in ("error", "answer")]
        (home / "models.toml").write_text("".join(entries))
        batch_id = new_batch(bank, home, "b1", template="tiny", models=["error", "answer"])
        command = Glassbench(home=home, database_url=bank_url, extra={"ECHO_MODEL_KEY": KEY})
        ran = command.run("batch", "run", batch_id, "--yes")
    assert set(seen) == {f"Bearer {KEY}"}
    shown = [command.run("run", "show", f"{batch_id}-000{n}") for n in (1, 2, 3, 4)]
    told = [command.run("run", "events", f"{batch_id}-0001"), command.run("model", "list"), command.run("doctor")]
    written = "".join(done.out + done.err for done in (ran, *shown, *told)).encode()
    written += b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())
    written += whole_database(bank_url)
    for spelling in spellings:
        assert spelling.encode() not in written
    assert get_batch(bank, batch_id).counts.invalid == 1


def whole_database(url: str) -> bytes:
    """Every row of every table, bytea as the bytes they are."""
    libpq = make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
    found = []
    with psycopg.connect(libpq) as connection:
        tables = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
        assert len(tables) > 10
        for (table,) in tables:
            for row in connection.execute(f'SELECT * FROM "{table}"').fetchall():
                found += [bytes(v) if isinstance(v, bytes | memoryview) else str(v).encode() for v in row]
    return b"\n".join(found)


@pytest.mark.parametrize("spelling", [KEY, base64.b64encode(KEY.encode()).decode()])
def test_the_leak_test_itself_sees_a_leak(bank: Database, bank_url: str, spelling: str) -> None:
    new_batch(bank, Path("/nonexistent"), "b1", template="tiny", models=["scripted-careful"])
    run_id = RunId("b1-0001")
    body = json.dumps({"text": spelling}).encode()
    append_events(bank, run_id, begin_attempt(bank, run_id), [EventRow(seq=1, kind="step", body=body)])
    assert spelling.encode() in whole_database(bank_url)
