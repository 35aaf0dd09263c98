"""What may stand in a log line."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from engine.monitoring.log_fields import FIELDS, EventName, allowed

MARKER = "-".join(("sk", "proj", "Zk3" * 8))
GOOD: dict[str, Any] = {
    "level": "warning",
    "batch_id": "english-20261130-0a1b2c",
    "batch_ids": ["one", "two"],
    "worker": "vm-53c4e36a-4026531836/13907/1355825/839795c8",
    "artifact_hash": "0" * 64,
    "outcome": "gave_up",
    "code": "rate_limited",
    "error_type": "StaleLeaseError",
    "library": "asyncio",
    "address": "::1",
    "port": 9464,
    "slices": 3,
    "runs": 0,
    "pass": 1,
    "fail": 2,
    "invalid": 3,
    "expired": 1,
    "released": 1,
    "settled": 1,
    "repeated": 9,
}


def test_every_field_takes_a_value_of_its_own_form() -> None:
    assert set(GOOD) == set(FIELDS)
    assert allowed("fault", GOOD) == {"event": "fault", **GOOD}


@pytest.mark.parametrize("name", sorted(FIELDS))
@pytest.mark.parametrize(
    "value",
    [
        MARKER + " and more", f"a\n{MARKER}", f"{MARKER} ", {"a": MARKER}, MARKER.encode(), None, float("nan"),
        float("inf"), -1, True, 10**30, ValueError(MARKER), "",
    ],
    ids=repr,
)  # fmt: skip
def test_a_value_of_another_form_is_dropped_whichever_field_it_stands_in(name: str, value: Any) -> None:
    assert allowed("fault", {name: value}) == {"event": "fault"}


def test_ids_that_have_no_form_are_left_out_of_a_list() -> None:
    assert allowed("fault", {"batch_ids": ["one", MARKER + "!", 3]})["batch_ids"] == ["one"]
    assert len(allowed("fault", {"batch_ids": ["one"] * 1000})["batch_ids"]) == 50


@pytest.mark.parametrize("code", ["DB-CONN-002", "GB-000", "RUN-HARNESS-002", "LEDGER-UNBOUNDED-001", "invalid_stream"])
def test_stable_codes_are_told(code: str) -> None:
    assert allowed("fault", {"code": code})["code"] == code


@pytest.mark.parametrize("code", ["db-conn-002", "DB-CONN-2", "rate limited", "DB-CONN-002 ", "RATE_LIMITED", MARKER])
def test_what_is_no_stable_code_is_not_told(code: str) -> None:
    assert "code" not in allowed("fault", {"code": code})


def test_unknown_fields_are_dropped() -> None:
    assert allowed("fault", {"message": MARKER, "hint": MARKER, "exc_info": True}) == {"event": "fault"}


@pytest.mark.parametrize("event", [MARKER, None, 3, "fault " + MARKER])
def test_an_event_that_is_not_on_the_list_has_no_name_of_its_own(event: object) -> None:
    assert allowed(event, {}) == {"event": "library_log"}


def test_every_event_is_told_by_its_name() -> None:
    assert [allowed(name, {})["event"] for name in get_args(EventName)] == list(get_args(EventName))
