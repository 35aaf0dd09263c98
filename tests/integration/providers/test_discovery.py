"""The list of models, from servers that give it in every bad way."""

from __future__ import annotations

import asyncio
import base64
import json
from typing import Any
from urllib.parse import quote

import pytest

from engine.providers.call_failure import CallFailure
from engine.providers.discovery import LIST_LIMIT, Listing, NoListing, discover
from engine.providers.factory import codec_for
from tests.integration.providers.asking import KEY, entry
from tests.integration.providers.faulty_server import (
    Answer,
    FaultyServer,
    SeenRequest,
    answer,
    cut,
    drip,
    flood,
    http,
    raw,
    silence,
)

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"
QUICK = {"connect": 1, "read": 0.2, "write": 1, "pool": 1, "total": 0.5}


def look(*answers: Answer, **settings: Any) -> tuple[Listing | NoListing | CallFailure, list[SeenRequest]]:
    async def ask() -> tuple[Listing | NoListing | CallFailure, list[SeenRequest]]:
        async with FaultyServer(*answers) as server:
            model = entry(server.url, **settings)
            return await discover(model, codec_for(model), KEY), server.requests

    return asyncio.run(ask())


def ids(*names: object, **more: Any) -> Answer:
    return answer({"object": "list", "data": [{"id": name} for name in names], **more})


def failed(*answers: Answer, **settings: Any) -> CallFailure:
    found, _ = look(*answers, **settings)
    assert isinstance(found, CallFailure)
    assert KEY not in found.message
    return found


def test_the_list_is_asked_for_once_with_the_key_in_its_header() -> None:
    found, seen = look(ids("a-1", "b-2"))
    assert found == Listing(ids=("a-1", "b-2"), whole=True, echoes_key=False)
    [request] = seen
    assert request.line == "GET /v1/models HTTP/1.1"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.headers["accept-encoding"] == "identity"


def test_the_messages_api_is_asked_in_its_own_way_and_says_where_more_pages_are() -> None:
    found, [request] = look(ids("a-1", has_more=True), wire_api="anthropic_messages")
    assert found == Listing(ids=("a-1",), whole=False, echoes_key=False)
    assert request.line == "GET /v1/models?limit=1000 HTTP/1.1"
    assert request.headers["x-api-key"] == KEY
    assert "authorization" not in request.headers


@pytest.mark.parametrize("status", [404, 405, 501])
def test_a_server_without_a_list_is_no_failure(status: int) -> None:
    assert look(answer({"error": "no"}, status))[0] == NoListing(status=status)


@pytest.mark.parametrize(
    ("given", "code", "words"),
    [
        (answer({"error": {"message": "bad key"}}, 401), "authentication_error", "HTTP 401: bad key"),
        (answer({"error": {"message": "later"}}, 503), "provider_5xx", "HTTP 503: later"),
        (raw(http(302, b"", {"Location": "http://127.0.0.1:1/"})), "invalid_response", "redirects are not followed"),
        (raw(http(200, b"<html>", {"Content-Type": "text/html"})), "invalid_response", "no valid JSON"),
        (raw(http(200, b'{"data": "x"}')), "invalid_response", "no list of models"),
        (raw(http(200, b'{"data": [], "data": []}')), "invalid_response", "repeated key"),
        (raw(http(200, b"{}", {"Content-Encoding": "gzip"})), "invalid_response", "compressed"),
        (cut(HEAD.replace(b"\r\n\r\n", b"\r\nContent-Length: 99\r\n\r\n") + b"{"), "network_error", "connection ended"),
    ],
)
def test_each_bad_answer_is_named(given: Answer, code: str, words: str) -> None:
    found = failed(given)
    assert (found.code, words in found.message) == (code, True), found


def test_a_list_beyond_two_mebibytes_is_left_unread() -> None:
    assert "more than 2 MiB" in failed(flood(HEAD)).message
    padded = json.dumps({"data": [], "pad": ""}).encode()
    fits = padded.replace(b'""', b'"' + b"x" * (LIST_LIMIT - len(padded)) + b'"')
    assert len(fits) == LIST_LIMIT
    assert look(raw(http(200, fits)))[0] == Listing(ids=(), whole=True, echoes_key=False)


def test_silence_and_a_slow_drip_end_in_time() -> None:
    assert failed(silence, timeout_seconds=QUICK).message == "the server fell silent"
    slow = failed(drip(HEAD), timeout_seconds=QUICK)
    assert (slow.code, slow.message) == ("read_timeout", "no complete list of models within 0.5 s")


@pytest.mark.parametrize(
    "echo", [KEY, quote(KEY, safe=""), base64.b64encode(KEY.encode()).decode(), f"model-{KEY}-1", json.dumps(KEY)[1:-1]]
)
def test_an_id_that_holds_the_key_in_any_spelling_is_told_and_left_out(echo: str) -> None:
    assert look(ids("a-1", echo))[0] == Listing(ids=("a-1",), whole=True, echoes_key=True)


def test_a_key_in_the_words_of_an_error_goes_no_further() -> None:
    failed(answer({"error": {"message": f"bad key {KEY}", "code": KEY}}, 403))


def test_what_is_no_plain_name_is_no_id() -> None:
    found, _ = look(
        answer([{"id": "a-1"}, {"id": "with blank"}, {"id": 7}, {"id": "x" * 300}, "b", {"id": "a\u0000b"}])
    )
    assert found == Listing(ids=("a-1",), whole=True, echoes_key=False)
