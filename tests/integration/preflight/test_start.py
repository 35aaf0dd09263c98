"""A batch that may cost money is looked up, shown, confirmed and tried with one call before any run starts."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from dataset.errors import GlassbenchError
from dataset.record import BatchId
from dataset.store.batches import get_batch
from dataset.store.lifecycle import standing_of, start_batch
from dataset.store.session import Database
from engine.batches.batch_terms import frozen_terms
from engine.batches.composition import load_frozen
from engine.cli.batch_start import begin
from engine.ledger.policy import DEFAULT_POLICY, Policy
from engine.ledger.terms import BatchLimits
from engine.preflight.errors import PreflightError
from engine.preflight.preflight import Preflight
from engine.preflight.subject import subjects
from tests.factories.model_server import ModelServer, completion, listing, model_entry, response
from tests.factories.stored import ground, new_batch, run_batch

KEY = "sk-" + "test" * 3 + "Zq9x" * 4
PRICE = '{ currency = "USD", input_per_million = 2, output_per_million = 8, as_of = 2026-01-31, source = "s" }'


def as_asked(path: str, body: Mapping[str, Any], headers: Mapping[str, str]) -> bytes:
    """Answers under the name that was asked for."""
    return completion("I can't say.", model=body["model"])


class Owner:
    """Somebody with a paid model at a server, who starts batches of it."""

    def __init__(self, bank: Database, home: Path, server: ModelServer, **settings: Any) -> None:
        self.bank, self.home, self.server = bank, home, server
        told = {"credential_env": "FAR_KEY", "model_id_status": "verified", "concurrency": 1, **settings}
        entry = model_entry("far", f"{server.url}/v1", **{name: v for name, v in told.items() if v is not None})
        (home / "models.toml").write_text(f"{entry.rstrip()}\nprice = {PRICE}\n")

    def batch(self, batch_id: str = "b1", policy: Policy = DEFAULT_POLICY, **limits: Any) -> BatchId:
        return new_batch(
            self.bank,
            self.home,
            batch_id,
            template="tiny",
            models=["far"],
            policy=policy,
            limits=BatchLimits(**limits),
        )

    def begin(self, batch_id: BatchId, *, yes: bool = True) -> None:
        row = get_batch(self.bank, batch_id)
        begin(ground(self.bank, self.home, {"FAR_KEY": KEY}), row, yes=yes, as_json=False)

    def refused(self, batch_id: BatchId, *, yes: bool = True) -> GlassbenchError:
        with pytest.raises(GlassbenchError) as caught:
            self.begin(batch_id, yes=yes)
        assert KEY not in caught.value.message + caught.value.hint
        assert standing_of(self.bank, batch_id)[0].wish == "rest"
        return caught.value

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        with self.bank.transaction() as connection:
            driver: Any = connection.connection.driver_connection
            return list(driver.execute(statement).fetchall())

    def events(self) -> list[tuple[str, dict[str, Any]]]:
        found = self.rows("SELECT kind, payload FROM audit_event WHERE kind LIKE 'preflight%' ORDER BY number")
        return [(kind, json.loads(payload)) for kind, payload in found]

    def attempts(self) -> list[tuple[Any, ...]]:
        return self.rows(
            "SELECT call_key, role, run_id, state, actual_input FROM provider_attempt ORDER BY reserved_at"
        )


Open = Callable[..., Owner]


@pytest.fixture
def opened(bank: Database, home: Path) -> Iterator[Open]:
    """Opens a server with an owner in front of it; closed at the end."""
    servers: list[ModelServer] = []

    def make(answer: Any = as_asked, *, models: bytes | None = None, **settings: Any) -> Owner:
        server = ModelServer(answer, listing=models or listing("far-1", "other-2"))
        servers.append(server.__enter__())
        return Owner(bank, home, server, **settings)

    yield make
    for server in servers:
        server.__exit__(None, None, None)


def test_hosts_models_runs_calls_and_money_are_shown_before_one_canary(
    opened: Open, capsys: pytest.CaptureFixture[str]
) -> None:
    owner = opened(model_id="far-1", max_retries=2)
    policy = Policy.model_validate({"provider": {"test": {"requests_per_minute": 60}}})
    batch_id = owner.batch(policy=policy, cost="5")
    owner.begin(batch_id)
    out = " ".join(capsys.readouterr().out.split())
    host = owner.server.url.removeprefix("http://")
    assert f"far {host} far-1 2 147 1,729,536" in out  # (2 runs × 3 attempts × 8 steps + 1 canary) × 3 tries
    assert "calls: (missing runs × 3 attempts × most steps + 1 canary) × HTTP tries" in out
    assert "far: its server lists far-1, one of 2" in out
    assert "never more than 60 requests a minute: limit of provider test" in out
    assert "never more than 5 USD: limit of batch b1" in out
    assert "canary of far: far-1 answered in" in out
    [(path, body, headers)] = owner.server.requests
    assert path == "/v1/chat/completions"
    assert (body["max_tokens"], body.get("tools")) == (16, None)
    assert headers["Authorization"] == f"Bearer {KEY}"
    assert [message["role"] for message in body["messages"]] == ["system", "user"]
    [(call_key, role, run_id, state, used)] = owner.attempts()
    assert call_key.startswith(f"canary/{batch_id}/")
    assert (role, run_id, state, used) == ("canary", None, "settled_actual", 10)
    counted = owner.rows("SELECT kind, requests FROM ledger_scope WHERE requests > 0 ORDER BY kind")
    assert counted == [("batch", 1), ("global", 1), ("model", 1), ("provider", 1)]
    [(kind, payload)] = owner.events()
    assert (kind, payload["model"], payload["listed"]) == ("preflight_passed", "far", "listed")
    told = payload["canary"]
    assert (told["call"], told["returned"], told["input_tokens"], told["output_tokens"]) == (call_key, "far-1", 10, 3)


def test_each_start_repeats_the_canary_and_records_it(opened: Open) -> None:
    owner = opened()
    batch_id = owner.batch()
    owner.begin(batch_id)
    owner.begin(batch_id)
    keys = [attempt[0] for attempt in owner.attempts()]
    assert len(set(keys)) == 2
    assert [payload["canary"]["call"] for _, payload in owner.events()] == keys


def test_without_a_terminal_and_without_yes_nothing_is_asked_and_nothing_written(
    opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = opened()
    batch_id = owner.batch()
    before = owner.rows("SELECT count(*) FROM audit_event")
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    found = owner.refused(batch_id, yes=False)
    assert found.code == "PREFLIGHT-CONFIRM-001"
    assert f"glassbench batch run {batch_id} --estimate" in found.hint
    assert "--yes" in found.hint
    assert (len(owner.server.looked), owner.server.requests, owner.attempts()) == (1, [], [])
    assert owner.rows("SELECT count(*) FROM audit_event") == before


@pytest.mark.parametrize(("typed", "goes_on"), [("b1\n", True), ("yes\n", False), ("\n", False), ("", False)])
def test_only_the_batch_id_typed_in_full_confirms(
    opened: Open, monkeypatch: pytest.MonkeyPatch, typed: str, goes_on: bool
) -> None:
    owner = opened()
    batch_id = owner.batch()
    terminal = io.StringIO(typed)
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    monkeypatch.setattr("sys.stdin", terminal)
    if goes_on:
        owner.begin(batch_id, yes=False)
    else:
        assert owner.refused(batch_id, yes=False).code == "PREFLIGHT-CONFIRM-002"
    assert len(owner.server.requests) == len(owner.attempts()) == len(owner.events()) == int(goes_on)


def test_a_model_that_is_not_in_the_list_is_refused_with_the_close_ones_and_none_is_guessed(opened: Open) -> None:
    owner = opened(models=listing("far-1-mini", "far-2", "zzz"))
    found = owner.refused(owner.batch())
    assert found.code == "PREFLIGHT-MODEL-001"
    assert "lists 3 models, and 'far-1' isn't among them" in found.message
    assert "far-2" in found.message
    assert "zzz" not in found.message
    assert owner.server.requests == []
    assert owner.events() == [
        ("preflight_failed", {"model": "far", "stage": "discovery", "code": "PREFLIGHT-MODEL-001"})
    ]


def test_a_list_that_repeats_the_key_is_refused_and_the_key_shown_nowhere(
    opened: Open, capsys: pytest.CaptureFixture[str]
) -> None:
    owner = opened(models=listing("far-1", f"model-{KEY}"))
    found = owner.refused(owner.batch())
    assert found.code == "PREFLIGHT-KEY-001"
    assert "revoke the key" in found.hint
    assert KEY not in capsys.readouterr().out
    assert owner.server.requests == []


def test_a_server_without_a_list_is_told_and_asked_all_the_same(
    opened: Open, capsys: pytest.CaptureFixture[str]
) -> None:
    owner = opened(models=response(b"", status=404))
    owner.begin(owner.batch())
    assert "far: its server has no list of models (HTTP 404)" in capsys.readouterr().out
    assert owner.events()[0][1]["listed"] == "no_list"


@pytest.mark.parametrize(
    ("models", "reason"),
    [
        (response(b"<html>Welcome</html>", content_type="text/html"), "invalid_response"),
        (response(b'{"error": {"message": "bad key"}}', status=401), "authentication_error"),
        (b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n", "redirects are not"),
    ],
)
def test_a_list_that_can_not_be_had_is_a_model_that_can_not_be_asked(opened: Open, models: bytes, reason: str) -> None:
    owner = opened(models=models)
    found = owner.refused(owner.batch())
    assert found.code == "BATCH-MODEL-002"
    assert "model far can't be asked" in found.message
    assert reason in found.message
    assert owner.server.requests == []


def test_an_answer_under_another_name_fails_after_it_was_paid_for(opened: Open) -> None:
    owner = opened(lambda *_: completion("ready", model="cheaper-1"))
    found = owner.refused(owner.batch())
    assert (found.code, "'far-1' was asked for, and 'cheaper-1' answered" in found.message) == (
        "PREFLIGHT-MODEL-002",
        True,
    )
    [(_, role, _, state, _)] = owner.attempts()
    assert (role, state) == ("canary", "settled_actual")
    assert owner.events() == [("preflight_failed", {"model": "far", "stage": "canary", "code": "PREFLIGHT-MODEL-002"})]


def test_another_model_at_a_resume_pauses_whoever_serves_the_batch(opened: Open) -> None:
    names = iter(["far-1", "cheaper-1"])
    owner = opened(lambda *_: completion("ready", model=next(names)))
    batch_id = owner.batch()
    owner.begin(batch_id)
    start_batch(owner.bank, batch_id, quantum=64, model_keys=["far"])
    with pytest.raises(PreflightError):
        owner.begin(batch_id)
    control, _ = standing_of(owner.bank, batch_id)
    assert (control.wish, control.reason) == ("pause", "PREFLIGHT-MODEL-002")


def test_a_dated_edition_a_nameless_answer_and_one_cut_short_pass(opened: Open) -> None:
    def cut_short(path: str, body: Mapping[str, Any], headers: Mapping[str, str]) -> bytes:
        document = {
            "model": "far-1",
            "choices": [{"index": 0, "message": {"content": ""}, "finish_reason": "length"}],
            "usage": {"prompt_tokens": 9, "completion_tokens": 16},
        }
        return response(json.dumps(document).encode())

    answers = [
        (lambda *_: completion("ready", model="far-1-2026-01-31"), "far-1-2026-01-31"),
        (lambda *_: completion("ready", model=""), None),
        (cut_short, "far-1"),
    ]
    used = []
    for number, (answer, name) in enumerate(answers):
        owner = opened(answer)
        owner.begin(owner.batch(f"b{number}"))
        assert owner.events()[-1][1]["canary"]["returned"] == name
        used.append(owner.attempts()[-1][3:])
    assert used == [("settled_actual", 10), ("settled_actual", 10), ("settled_actual", 9)]


def test_a_canary_that_gets_no_answer_stops_the_batch_with_its_tries_in_the_ledger(opened: Open) -> None:
    owner = opened(lambda *_: response(b"oops", status=400))
    found = owner.refused(owner.batch())
    assert found.code == "BATCH-MODEL-002"
    assert "provider_4xx" in found.message
    assert len(owner.attempts()) == 1
    assert owner.events()[0][1]["stage"] == "canary"


def test_an_unverified_model_is_refused_with_file_line_and_setting(opened: Open) -> None:
    owner = opened(model_id_status="unverified")
    found = owner.refused(owner.batch())
    assert found.code == "PREFLIGHT-UNVERIFIED-001"
    lines = (owner.home / "models.toml").read_text().splitlines()
    line = 1 + lines.index('model_id_status = "unverified"')
    assert f"{owner.home / 'models.toml'}:{line}: model_id_status of 'far' is unverified" in found.message
    assert 'model_id_status = "verified"' in found.hint
    assert (owner.server.looked, owner.server.requests, owner.events()) == ([], [], [])


def test_a_budget_that_a_new_batch_can_not_pay_one_call_from_refuses_it(opened: Open) -> None:
    owner = opened()
    found = owner.refused(owner.batch(cost="0.00001"))
    assert found.code == "BATCH-BUDGET-001"
    assert "the canary of model far was not sent" in found.message
    assert owner.server.requests == []


def test_a_begun_batch_whose_budget_is_used_up_may_be_started_for_its_end(opened: Open) -> None:
    owner = opened()
    batch_id = owner.batch(requests=1)
    owner.begin(batch_id)  # the canary is the only call there may be
    row = get_batch(owner.bank, batch_id)
    stands_on = ground(owner.bank, owner.home, {"FAR_KEY": KEY})
    asked = subjects(stands_on, load_frozen(owner.bank, row), {"far"})
    preflight = Preflight(database=owner.bank, batch_id=batch_id, subjects=asked)
    [passed] = preflight.send_canaries(preflight.look_up(), frozen_terms(owner.bank, batch_id), begun=True)
    assert passed.canary is None
    assert len(owner.server.requests) == 1
    assert owner.events()[-1] == ("preflight_passed", {"model": "far", "listed": "listed", "canary": None})


def test_a_canary_whose_process_was_killed_is_settled_by_the_next_start(opened: Open) -> None:
    owner = opened()
    batch_id = owner.batch()
    owner.begin(batch_id)
    owner.rows(
        "INSERT INTO provider_attempt (call_key, ordinal, batch_id, provider, model_key, role, policy_hash,"
        " request_digest, state, minute, reserved_input, reserved_output, reserved_at, sent_at)"
        " SELECT 'canary/lost', 1, batch_id, provider, model_key, role, policy_hash, request_digest, 'send_started',"
        " minute, reserved_input, reserved_output, now() - interval '1 day', now() - interval '1 day'"
        " FROM provider_attempt RETURNING 1"
    )
    for scope in ("global", "provider", "model", "batch"):
        owner.rows(
            "UPDATE ledger_scope SET active = 1, requests = requests + 1, tokens = tokens + a.reserved,"
            " reserved_tokens = a.reserved FROM (SELECT reserved_input + reserved_output AS reserved"
            f" FROM provider_attempt WHERE call_key = 'canary/lost') a WHERE kind = '{scope}' RETURNING 1"
        )
    owner.begin(batch_id)
    assert [state for _, _, _, state, _ in sorted(owner.attempts(), key=str)].count("settled_conservative") == 1


def test_a_free_server_on_this_machine_needs_no_word_no_verified_id_and_no_canary(
    bank: Database, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with ModelServer(as_asked, listing=listing("near-1")) as server:
        (home / "models.toml").write_text(model_entry("near", f"{server.url}/v1"))
        batch_id = new_batch(bank, home, "b1", template="tiny", models=["near"])
        begin(ground(bank, home), get_batch(bank, batch_id), yes=False, as_json=False)
        assert "near: its server lists near-1; no price and no key: asked without a canary" in capsys.readouterr().out
        assert (len(server.looked), server.requests) == (1, [])
        run_batch(bank, home, batch_id)
    assert get_batch(bank, batch_id).finished_at is not None


def test_all_that_is_wrong_offline_is_said_at_once(bank: Database, home: Path) -> None:
    entries = [
        model_entry(key, "https://llm.example/v1", credential_env=f"{key.upper()}_KEY", provider=key)
        for key in ("one", "two")
    ]
    (home / "models.toml").write_text("".join(entries))
    batch_id = new_batch(bank, home, "b1", template="tiny", models=["one", "two"])
    with pytest.raises(GlassbenchError) as caught:
        begin(ground(bank, home, {"TWO_KEY": KEY}), get_batch(bank, batch_id), yes=True, as_json=False)
    assert caught.value.code == "MODEL-CRED-001"
    assert "2 things are wrong" in caught.value.message
    assert "ONE_KEY" in caught.value.message
    assert "[PREFLIGHT-UNVERIFIED-001]" in caught.value.message
