"""Backoff with full jitter, and what a Retry-After header means."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from engine.providers.retry_policy import RETRY_AFTER_CAP_SECONDS, RetryPolicy, retry_after_seconds

NOW = datetime(2026, 3, 1, 12, 0, 0, tzinfo=UTC)


def test_delay_doubles_up_to_the_cap_and_ends_with_the_retries() -> None:
    policy = RetryPolicy(max_retries=7, base_seconds=1, cap_seconds=30)
    delays = [policy.delay(failures, retry_after=None, jitter=1.0) for failures in range(1, 9)]
    assert delays == [1, 2, 4, 8, 16, 30, 30, None]


def test_jitter_takes_any_share_of_the_backoff_from_nothing() -> None:
    policy = RetryPolicy(max_retries=3)
    assert [policy.delay(3, retry_after=None, jitter=share) for share in (0.0, 0.25, 1.0)] == [0, 1, 4]


def test_what_the_server_asks_for_is_waited_at_least_up_to_the_cap() -> None:
    policy = RetryPolicy(max_retries=3)
    assert policy.delay(1, retry_after=9, jitter=0.0) == 9
    assert policy.delay(1, retry_after=1e9, jitter=0.0) == RETRY_AFTER_CAP_SECONDS


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (None, None),
        ("", None),
        ("0", 0),
        (" 12 ", 12),
        ("1" * 400, 111111111),
        ("-5", None),
        ("1.5", None),
        ("１２", None),
        ("soon", None),
        ("Sun, 01 Mar 2026 12:01:00 GMT", 60),
        ("Sunday, 01-Mar-26 12:01:00 GMT", 60),
        ("Sun, 01 Mar 2026 11:00:00 GMT", 0),
        ("Sun, 01 Mar 2026 12:01:00 -0000", 60),
        ("Sun, 01 Mar 99999 12:01:00 GMT", None),
    ],
)
def test_retry_after_is_seconds_or_a_date(header: str | None, seconds: float | None) -> None:
    assert retry_after_seconds(header, NOW) == seconds
