"""Rules, runbook and reference name what there is, and nothing else."""

from __future__ import annotations

import io
import re
from functools import cache
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml

from dataset.store.attempt import Scope, ScopeState
from dataset.store.service_state import BatchBudget, ServiceState
from engine.ledger.policy import DEFAULT_POLICY, Policy, ScopeLimits
from engine.ledger.terms import BatchLimits, Terms
from engine.monitoring import store_gauges
from engine.monitoring.log_fields import FIELDS, LIBRARIES, EventName
from engine.monitoring.worker_log import WorkerLog
from engine.monitoring.worker_monitor import WorkerMonitor

DOCS = Path(__file__).parents[4] / "docs"
RULES = DOCS / "operations/alert-rules.yaml"
RUNBOOK = (DOCS / "how-to/watch-workers.md").read_text("utf-8")
METRICS = (DOCS / "reference/metrics.md").read_text("utf-8")
LOGS = (DOCS / "reference/logs.md").read_text("utf-8")
_LABELS = re.compile(r'(\w+)(=~|=)"([^"]*)"')


def rules() -> list[dict[str, Any]]:
    document = yaml.safe_load(RULES.read_text("utf-8"))
    assert set(document) == {"groups"}
    (group,) = document["groups"]
    assert set(group) == {"name", "rules"}
    found: list[dict[str, Any]] = group["rules"]
    return found


def _state() -> ServiceState:
    """One moment at which every gauge has something to say."""
    terms = Terms(policy=Policy(everything=ScopeLimits(requests=10)), limits=BatchLimits(cost="1"))
    budget = BatchBudget(batch_id="b", terms=terms.content(), terms_hash=terms.digest())
    return ServiceState(
        batches={},
        slices={},
        live_workers=1,
        stalled_workers=0,
        oldest_progress=0.0,
        open_attempts={},
        oldest_open=0.0,
        unfinished=1,
        active_policy=DEFAULT_POLICY.content(),
        budgets=[budget],
        scopes={Scope("global", ""): ScopeState(requests=4)},
        providers=0,
    )


@cache
def exposed() -> str:
    """What a worker serves, with a database that answers."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store_gauges, "service_state", lambda _: _state())
        patch.setattr(store_gauges, "ledger_is_sound", lambda *_, **__: True)
        nowhere: Any = None
        monitor = WorkerMonitor(nowhere, WorkerLog(io.StringIO(), readable=False))
        monitor.deferred("model", "requests")
        while True:
            text = monitor.metrics().body.decode()
            if "glassbench_ledger_drift" in text:
                return text


def series(text: str) -> dict[str, dict[str, set[str]]]:
    """The values that each label of each sample takes on."""
    found: dict[str, dict[str, set[str]]] = {}
    for line in text.splitlines():
        if not line.startswith("#"):
            name, _, labels = line.rpartition(" ")[0].partition("{")
            held = found.setdefault(name, {})
            for label, _, value in _LABELS.findall(labels):
                held.setdefault(label, set()).add(value)
    return found


def families() -> set[str]:
    names = set(series(exposed()))
    return {re.sub(r"_(bucket|sum|count|created)$", "", name) for name in names if not name.endswith("_created")}


def test_there_are_rules_and_each_has_all_that_a_person_needs() -> None:
    assert len(rules()) == 9
    for rule in rules():
        assert set(rule) >= {"alert", "expr", "labels", "annotations"}, rule
        assert set(rule) <= {"alert", "expr", "labels", "annotations", "for"}
        assert rule["labels"]["severity"] in ("critical", "warning")
        assert rule["annotations"]["summary"].endswith(".")
        assert re.fullmatch(r"\d+[smh]", rule.get("for", "1m"))
        for opening, closing in ("()", "{}", "[]"):
            assert rule["expr"].count(opening) == rule["expr"].count(closing)


@pytest.mark.parametrize("rule", rules(), ids=lambda rule: str(rule["alert"]))
def test_a_rule_asks_for_series_that_a_worker_serves(rule: dict[str, Any]) -> None:
    served = series(exposed())
    asked = re.findall(r"(glassbench_\w+)(?:\{([^}]*)\})?", rule["expr"])
    assert asked
    for name, labels in asked:
        assert name in served
        for label, operator, value in _LABELS.findall(labels):
            wanted = set(value.split("|")) if operator == "=~" else {value}
            assert wanted <= served[name][label], (name, label)
    for grouped in re.findall(r"by \(([^)]*)\)", rule["expr"]):
        assert set(grouped.split(", ")) <= set(served[asked[0][0]])


@pytest.mark.parametrize("rule", rules(), ids=lambda rule: str(rule["alert"]))
def test_a_rule_has_its_section_in_the_runbook(rule: dict[str, Any]) -> None:
    assert rule["annotations"]["runbook"] == f"docs/how-to/watch-workers.md#{rule['alert'].lower()}"
    section = RUNBOOK.partition(f"## {rule['alert']}\n")[2].partition("\n## ")[0]
    assert "    glassbench " in section, "it says what to type"
    assert re.search(r"[Dd]on't|nothing|by itself|[Ff]inish", section)


def test_the_runbook_has_no_section_of_a_rule_that_is_gone() -> None:
    told = set(re.findall(r"^## (Glassbench\w+)$", RUNBOOK, re.MULTILINE))
    assert told == {rule["alert"] for rule in rules()}


def test_the_reference_lists_every_metric_and_no_other() -> None:
    assert set(re.findall(r"^\| `(glassbench_\w+)`", METRICS, re.MULTILINE)) == families()


def test_no_series_has_a_label_beyond_the_closed_ones() -> None:
    labels = {label for held in series(exposed()).values() for label in held}
    assert labels == {"verdict", "outcome", "state", "code", "scope", "limit", "event", "class", "wish", "age", "le"}


def test_the_reference_lists_every_event_and_field_and_no_other() -> None:
    events, fields = LOGS.split("| field | form |")
    assert set(re.findall(r"^\| `(\w+)` \|", events, re.MULTILINE)) == set(get_args(EventName))
    told = {
        name for row in re.findall(r"^\| (`[^|]*) \|", fields, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)
    }
    assert told == set(FIELDS)
    assert all(f"`{library}`" in fields for library in LIBRARIES)
