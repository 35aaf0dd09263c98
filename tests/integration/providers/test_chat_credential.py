"""A key that a server sends back never leaves the provider."""

from __future__ import annotations

import base64
import json
import logging
from urllib.parse import quote

import pytest

from engine.providers.credential import REMOVED
from tests.integration.providers.asking import (
    KEY,
    ask,
    completion,
    fail,
)
from tests.integration.providers.faulty_server import (
    answer,
)


@pytest.mark.parametrize(
    "spelling",
    [
        pytest.param(KEY, id="plain"),
        pytest.param(quote(KEY, safe=""), id="percent"),
        pytest.param(quote(KEY, safe="").lower(), id="percent-lower"),
        pytest.param(KEY.replace("/", "\\/"), id="json-escaped"),
        pytest.param("".join(f"\\u{ord(c):04X}" for c in KEY), id="json-escaped-throughout"),
        pytest.param("".join(f"%{ord(c):02x}" for c in KEY), id="percent-throughout"),
        pytest.param(base64.b64encode(KEY.encode()).decode(), id="base64"),
        pytest.param(base64.b64encode(f"Bearer {KEY}!".encode()).decode(), id="base64-inside"),
        pytest.param(base64.urlsafe_b64encode(f"x:{KEY}".encode()).decode(), id="base64-url"),
    ],
)
def test_key_echoed_in_the_reply_is_removed_everywhere(spelling: str) -> None:
    call = {"id": spelling, "function": {"name": spelling, "arguments": json.dumps({"a": spelling})}}
    shape = {"id": "c", "function": {"name": "t", "arguments": {spelling: spelling}}}
    document = completion(
        {"content": f"key: {spelling}.", "tool_calls": [call, shape, spelling]}, spelling, system_fingerprint=spelling
    )
    document |= {"id": spelling, "model": spelling}
    reply, _ = ask(answer(document, headers={"x-request-id": spelling}))
    core = spelling.strip("=")[4:-4]
    assert core not in repr(reply)
    assert core not in repr(reply).replace("\\\\", "\\")
    assert REMOVED in (reply.text or "")
    assert REMOVED in reply.tool_calls[0].name
    assert REMOVED in reply.tool_calls[1].arguments
    assert (reply.request_id, reply.model_returned, reply.system_fingerprint, reply.finish_reason) == (None,) * 4


def test_key_split_over_two_parts_of_the_content_is_removed() -> None:
    parts = [{"type": "text", "text": KEY[:9]}, {"type": "text", "text": KEY[9:]}]
    reply, _ = ask(answer(completion({"content": parts})))
    assert reply.text == REMOVED


@pytest.mark.parametrize("status", [200, 400, 401, 500])
def test_key_echoed_in_an_error_is_removed(status: int, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    told = {"error": {"message": f"Incorrect key provided: {KEY} is wrong", "code": KEY}}
    error = fail(answer(told, status, {"x-echo": KEY, "Location": KEY}))
    assert f"Incorrect key provided: {REMOVED} is wrong" in error.message
    assert KEY not in caplog.text
