"""What is tried again, and after how long."""

from __future__ import annotations

from typing import Any

import pytest

from engine.providers.retry_policy import RETRY_AFTER_CAP_SECONDS
from tests.integration.providers.asking import (
    OK,
    Waits,
    ask,
    fail,
    statuses,
)
from tests.integration.providers.faulty_server import (
    answer,
)


def test_server_error_then_ok_is_one_reply_with_two_attempts() -> None:
    waits = Waits()
    reply, server = ask(answer({}, 502), answer(OK), waits=waits, max_retries=2)
    assert reply.text == "fine"
    assert statuses(reply.attempts) == [(502, "provider_5xx"), (200, None)]
    assert waits.seconds == [0.5]
    assert server.requests[0].body == server.requests[1].body


def test_storm_of_429_waits_as_told_and_gives_up() -> None:
    waits = Waits()
    error = fail(
        answer({}, 429, {"Retry-After": "7"}),
        answer({}, 429, {"Retry-After": "Sun, 01 Mar 2026 12:00:20 GMT"}),
        answer({}, 429, {"Retry-After": "86400"}),
        answer({}, 429, {"Retry-After": "soon"}),
        answer({}, 429),
        waits=waits,
        max_retries=4,
    )
    assert error.error_code == "rate_limited"
    assert statuses(error.attempts) == [(429, "rate_limited")] * 5
    assert waits.seconds == [7.5, 21.0, RETRY_AFTER_CAP_SECONDS + 2.0, 4.0]


def test_wait_that_would_pass_the_deadline_is_not_begun() -> None:
    waits = Waits()
    error = fail(answer({}, 429, {"Retry-After": "60"}), waits=waits, max_retries=3, timeout_seconds={"total": 30})
    assert len(error.attempts) == 1
    assert waits.seconds == []


@pytest.mark.parametrize(("status", "attempts"), [(400, 1), (401, 1), (404, 1), (422, 1), (408, 3), (429, 3), (500, 3)])
def test_clear_4xx_is_never_tried_again(status: int, attempts: int) -> None:
    assert len(fail(answer({}, status), max_retries=2).attempts) == attempts


def test_429_of_an_empty_account_is_not_tried_again() -> None:
    error = fail(answer({"error": {"code": "insufficient_quota"}}, 429), max_retries=2)
    assert statuses(error.attempts) == [(429, "rate_limited")]


@pytest.mark.parametrize(
    "inner", [{"code": 502}, {"code": 429}, {"type": "server_error"}, {"type": "overloaded_error"}]
)
def test_200_with_the_error_of_a_busy_server_is_tried_again(inner: Any) -> None:
    reply, _ = ask(answer({"error": inner}), answer(OK), max_retries=1)
    assert statuses(reply.attempts) == [(200, "invalid_response"), (200, None)]


def test_waits_between_tries_use_up_the_deadline() -> None:
    waits = Waits()
    error = fail(answer({}, 429, {"Retry-After": "10"}), waits=waits, max_retries=9, timeout_seconds={"total": 25})
    assert waits.seconds == [10.5, 11.0]
    assert len(error.attempts) == 3
