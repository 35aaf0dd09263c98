"""Every answer that is none has its class."""

from __future__ import annotations

import gzip
from typing import Any

import pytest

from tests.integration.providers.asking import (
    GOOD,
    OK,
    Waits,
    fail,
    statuses,
)
from tests.integration.providers.faulty_server import (
    answer,
    http,
    raw,
)


@pytest.mark.parametrize(
    ("status", "body", "code"),
    [
        (401, {"error": {"message": "no"}}, "authentication_error"),
        (403, {"error": {"message": "no"}}, "authentication_error"),
        (404, {"error": {"message": "no such model"}}, "provider_4xx"),
        (400, {"error": {"message": "bad", "code": None}}, "provider_4xx"),
        (400, {"error": {"message": "long", "code": "context_length_exceeded"}}, "context_overflow"),
        (400, {"error": {"message": "This model's maximum context length is 8192 tokens"}}, "context_overflow"),
        (400, {"error": {"type": "exceed_context_size_error", "message": "too big"}}, "context_overflow"),
        (400, {"error": {"code": "content_filter", "message": "no"}}, "content_filtered"),
        (400, {"error": "blocked by our content policy"}, "content_filtered"),
        (413, {"detail": "prompt is too long"}, "context_overflow"),
        (429, {"error": {"message": "slow down"}}, "rate_limited"),
        (500, {"error": {"message": "maximum context length"}}, "provider_5xx"),
        (503, ["odd"], "provider_5xx"),
        (799, {}, "invalid_response"),
    ],
)
def test_status_and_wording_give_the_class(status: int, body: Any, code: str) -> None:
    error = fail(answer(body, status))
    assert error.error_code == error.code == code
    assert statuses(error.attempts) == [(status if status < 600 else None, code)]


def test_error_message_tells_the_servers_plain_words_and_stops_at_an_address() -> None:
    told = {"error": {"message": "Model is loading, ask 10.0.0.7 or http://inner later", "type": "unavailable_error"}}
    assert fail(answer(told, 503)).message == (
        "model 'test-model': HTTP 503 (unavailable_error): Model is loading, ask"
    )


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        (
            "Rate limit reached for organization " + "org-" + "AbCdEf" + "1234567890GhIj",
            "limit reached for organization",
        ),
        ("Quota spent, tenant " + "9f8a7b6c" * 4, "spent, tenant"),
        ("Bad gateway at node ip-" + "-".join(["10", "0", "3", "17"]), "gateway at node"),
        ("Busy: ip-" + "-".join(["10", "0", "3", "17"]) + " is full", "Busy:"),
        ("No such key 9f8a7b6c", "such key"),
        ("Served by gateway-east-prod now", "Served by"),
        ("Ask " + "qwertyuiop" * 3 + " again", "Ask"),
        ("Token " + "abcDEFghiJKL" + " refused", "Token"),
        ("Billed to 123456789012", "Billed to"),
        ("Denied for tenant contoso", "Denied for tenant"),
        ("Wrong organization_id: contoso", "Wrong organization_id:"),
        ("Denied for user 'anna'", "Denied for user"),
        ("It can't take 'max_tokens' of 9000 (at most 4096).", "It can't take 'max_tokens' of 9000 (at most 4096)."),
    ],
)
def test_error_message_never_tells_who_asked_or_which_machine_answered(words: str, kept: str) -> None:
    for body in ({"error": {"message": words}}, {"error": words}, {"detail": words}):
        assert fail(answer(body, 400)).message.endswith(kept)


def test_error_codes_that_hold_a_name_are_left_out_of_the_message() -> None:
    told = {"error": {"message": "no", "type": "server_error", "code": "node-" + "a1b2c3"}}
    assert fail(answer(told, 503)).message == "model 'test-model': HTTP 503 (server_error): no"


HTML = b"<html><body>Welcome</body></html>"


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        pytest.param(http(200, HTML, {"Content-Type": "text/html"}), "invalid_response", id="html"),
        pytest.param(http(200, HTML), "invalid_response", id="html-declared-as-json"),
        pytest.param(http(200, GOOD, {"Content-Type": "text/plain"}), "invalid_response", id="wrong-content-type"),
        pytest.param(http(200, b""), "empty_response", id="empty-body"),
        pytest.param(http(200, b" \r\n "), "empty_response", id="blank-body"),
        pytest.param(b"HTTP/1.1 204 None\r\n\r\n", "empty_response", id="no-content"),
        pytest.param(http(200, b'{"error":{"message":"bad key"}}'), "invalid_response", id="error-object"),
        pytest.param(http(200, b'{"error":"bad"}'), "invalid_response", id="error-text"),
        pytest.param(http(200, GOOD[:-5]), "invalid_response", id="truncated-json"),
        pytest.param(http(200, b'{"choices":[],"choices":[]}'), "invalid_response", id="duplicate-keys"),
        pytest.param(http(200, GOOD[:-1] + b',"x":NaN}'), "invalid_response", id="nan"),
        pytest.param(http(200, GOOD[:-1] + b',"x":-Infinity}'), "invalid_response", id="infinity"),
        pytest.param(http(200, GOOD[:-1] + b',"x":' + b"9" * 5000 + b"}"), "invalid_response", id="huge-integer"),
        pytest.param(http(200, b"[" * 100_000), "invalid_response", id="deep-nesting"),
        pytest.param(http(200, b'{"choices":"\xff"}'), "invalid_response", id="not-utf-8"),
        pytest.param(http(200, b"[]"), "invalid_response", id="no-object"),
        pytest.param(http(200, b"{}"), "empty_response", id="no-choices"),
        pytest.param(http(200, b'{"choices":[]}'), "empty_response", id="empty-choices"),
        pytest.param(http(200, b'{"choices":[{"message":null}]}'), "empty_response", id="no-message"),
        pytest.param(http(200, b'{"choices":[{"message":{"content":7}}]}'), "invalid_response", id="content-number"),
        pytest.param(
            http(200, b'{"choices":[{"message":{"tool_calls":{}}}]}'), "invalid_response", id="calls-that-are-no-list"
        ),
        pytest.param(
            http(200, b'{"choices":[{"error":{"code":400},"message":{}}]}'), "invalid_response", id="error-in-choice"
        ),
        pytest.param(http(200, GOOD, {"Content-Encoding": "gzip"}), "invalid_response", id="compressed"),
        pytest.param(http(302, b"", {"Location": "https://elsewhere.example/"}), "invalid_response", id="redirect"),
    ],
)
def test_unusable_answer_is_classified_and_never_asked_again(sent: bytes, code: str) -> None:
    waits = Waits()
    error = fail(raw(sent), answer(OK), waits=waits, max_retries=3)
    assert error.error_code == code
    assert len(error.attempts) == 1
    assert waits.seconds == []


def test_compressed_error_body_is_not_unpacked() -> None:
    body = gzip.compress(b'{"error":{"code":"context_length_exceeded"}}')
    error = fail(raw(http(400, body, {"Content-Encoding": "gzip"})))
    assert error.error_code == "provider_4xx"
    assert error.message == "model 'test-model': HTTP 400"
