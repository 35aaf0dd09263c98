"""What a streamed chat completion adds up to, and what breaks it."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from dataset.artifacts.artifact import Usage
from engine.providers.credential import REMOVED
from engine.providers.interface import ModelReply, ProviderError, Reported
from engine.providers.open_gate import OpenGate
from engine.providers.wire_document import MOST_CALLS, MOST_TOKENS
from tests.integration.providers.asking import (
    KEY,
    OK,
    Waits,
    ask,
    chat,
    chunk,
    completion,
    entry,
    fail,
    request,
    statuses,
)
from tests.integration.providers.faulty_server import (
    Answer,
    FaultyServer,
    answer,
    cut,
    drip,
    events,
    flood,
    in_two,
    open_stream,
    reset,
    stream,
)

USAGE = {
    "prompt_tokens": 9,
    "completion_tokens": 4,
    "prompt_tokens_details": {"cached_tokens": 2},
    "completion_tokens_details": {"reasoning_tokens": 3},
}
TAIL = {"id": "cmpl-1", "model": "test-1", "choices": [], "usage": USAGE}
COUNTED = Usage(input_tokens=9, output_tokens=4, cache_read_tokens=2, reasoning_tokens=3)


def reply_to(*documents: Any, end: str | None = "[DONE]") -> ModelReply:
    return ask(stream(events(*documents, end=end)))[0]


def ask_all(answers: list[Answer]) -> list[ModelReply | ProviderError]:
    """The outcomes of one call per answer, over one provider."""

    async def call() -> list[ModelReply | ProviderError]:
        async with FaultyServer(*answers) as server:
            provider = chat(entry(server.url))
            outcomes: list[ModelReply | ProviderError] = []
            for _ in answers:
                try:
                    outcomes.append(await provider.complete(request(), OpenGate()))
                except ProviderError as error:
                    outcomes.append(error)
            await provider.close()
            return outcomes

    return asyncio.run(call())


def test_pieces_become_one_reply_with_the_usage_of_the_last_chunk() -> None:
    reply = reply_to(
        chunk({"role": "assistant", "content": None}, system_fingerprint="fp_1", usage=None),
        chunk({"content": ""}),
        chunk({"content": "价"}),
        chunk({"content": "格 is"}),
        chunk({"content": " 12"}),
        chunk({}, "stop"),
        TAIL,
    )
    assert (reply.text, reply.tool_calls, reply.stop_reason) == ("价格 is 12", (), "stop")
    assert reply.usage == COUNTED
    assert (reply.finish_reason, reply.model_returned) == ("stop", "test-1")
    assert (reply.request_id, reply.system_fingerprint) == ("cmpl-1", "fp_1")
    assert statuses(reply.attempts) == [(200, None)]


def test_finish_reason_never_ends_a_stream() -> None:
    reply = reply_to(chunk({"content": "a"}, "stop"), chunk({"content": "b"}, "length"), TAIL)
    assert (reply.text, reply.stop_reason, reply.usage) == ("ab", "length", COUNTED)


def test_reasoning_never_enters_the_answer() -> None:
    reply = reply_to(
        chunk({"reasoning_content": "hm", "reasoning": "hm"}),
        chunk({"content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "a"}]}),
        chunk({"thinking": "hm", "content": "b"}, "stop"),
        TAIL,
    )
    assert (reply.text, reply.usage.reasoning_tokens) == ("ab", 3)
    assert "hm" not in repr(reply)


@pytest.mark.parametrize(
    ("documents", "text", "stop"),
    [
        pytest.param([chunk({}, "stop")], "", "stop", id="nothing"),
        pytest.param([chunk({"content": "a"})], "a", "stop", id="no-finish-reason"),
        pytest.param([chunk({"refusal": "I "}), chunk({"refusal": "can't."})], "I can't.", "stop", id="refusal"),
        pytest.param([chunk({"content": "a"}, "content_filter")], "a", "content_filter", id="filtered"),
        pytest.param([{"choices": [{"message": {"content": "a"}}]}], "a", "stop", id="message-in-place-of-delta"),
        pytest.param([{"choices": [{"delta": None}]}, {"choices": None}], "", "stop", id="nulls"),
        pytest.param(
            [{"choices": [{"index": 1, "delta": {"content": "b"}}, {"index": 0, "delta": {"content": "a"}}]}],
            "a",
            "stop",
            id="another-choice",
        ),
    ],
)
def test_text_and_stop_reason(documents: list[Any], text: str, stop: str) -> None:
    reply = reply_to(*documents)
    assert (reply.text, reply.stop_reason) == (text, stop)


def part(arguments: Any = None, name: str | None = None, **more: Any) -> dict[str, Any]:
    function = {key: value for key, value in (("name", name), ("arguments", arguments)) if value is not None}
    return {"function": function, **more}


@pytest.mark.parametrize(
    ("deltas", "calls"),
    [
        pytest.param(
            [part("", "f", index=0, id="a", type="function"), part('{"x"', index=0), part(": 1}", index=0)],
            [("a", "f", '{"x": 1}')],
            id="one-in-pieces",
        ),
        pytest.param(
            [part("1", "f", index=0, id="a"), part("3", "g", index=1, id="b"), part("2", index=0), part("4", index=1)],
            [("a", "f", "12"), ("b", "g", "34")],
            id="two-interleaved",
        ),
        pytest.param(
            [part("1", "f", index=0, id="a"), part("2", index=0), part("3", "g", index=0, id="b"), part("4", index=0)],
            [("a", "f", "12"), ("b", "g", "34")],
            id="index-reused",
        ),
        pytest.param(
            [part("1", "f", id="a"), part("3", "g", id="b"), part("2", id="a"), part("4", id="b")],
            [("a", "f", "12"), ("b", "g", "34")],
            id="index-missing",
        ),
        pytest.param(
            [part("1", "f", index=0, id="a"), part("3", "g", index=0, id="b"), part("2", index=0, id="a")],
            [("a", "f", "12"), ("b", "g", "3")],
            id="id-beats-index",
        ),
        pytest.param([part("1", "f", id="a"), part("2"), part("3")], [("a", "f", "123")], id="neither-goes-on"),
        pytest.param([part("1", "f"), part("2", "g")], [("", "f", "1"), ("", "g", "2")], id="neither-names-another"),
        pytest.param([part("1", "f", index=0), part("2", index=0, id="a")], [("a", "f", "12")], id="id-comes-late"),
        pytest.param(
            [part("1", "f", index=0), part("3", "g", index=1), part("2", index=0)],
            [("", "f", "12"), ("", "g", "3")],
            id="id-missing",
        ),
        pytest.param([part("1", "f", index=0, id="a")] * 2, [("a", "f", "11")], id="name-repeated"),
        pytest.param([part("", "ge", index=0, id="a"), part("{}", "t", index=0)], [("a", "get", "{}")], id="name-cut"),
        pytest.param([{"index": 0, "id": "a"}, part("{}", "f", index=0)], [("a", "f", "{}")], id="id-alone"),
        pytest.param([part({"x": 1}, "f", id="a")], [("a", "f", '{"x":1}')], id="arguments-as-object"),
        pytest.param([part("1", "f", index=[0], id=7)], [("", "f", "1")], id="odd-index-and-id"),
    ],
)
def test_parts_of_calls_find_their_call(deltas: list[Any], calls: list[tuple[str, str, str]]) -> None:
    for documents in ([chunk({"tool_calls": deltas})], [chunk({"tool_calls": [delta]}) for delta in deltas]):
        reply = reply_to(*documents, chunk({}, "tool_calls"))
        assert [(call.id, call.name, call.arguments) for call in reply.tool_calls] == calls
        assert (reply.text, reply.stop_reason) == (None, "tool_calls")


def test_function_call_of_the_old_form_is_a_call() -> None:
    reply = reply_to(
        chunk({"function_call": {"name": "f", "arguments": "1"}}), chunk({"function_call": {"arguments": "2"}})
    )
    assert [(call.id, call.name, call.arguments) for call in reply.tool_calls] == [("", "f", "12")]


def test_multi_byte_text_survives_every_split() -> None:
    documents = (chunk({"content": "价😀"}), chunk({"tool_calls": [part('{"é":"格"}', "f", index=0, id="a")]}), TAIL)
    plain = "".join(f"data: {json.dumps(d, ensure_ascii=False)}\r\n\r\n" for d in documents).encode()
    body = b"\xef\xbb\xbf: hi\n" + plain + b"data: [DONE]\r\n\r\n"
    answers = [
        in_two(open_stream(body[:at]), b"%x\r\n%s\r\n0\r\n\r\n" % (len(body) - at, body[at:]))
        for at in range(1, len(body))
    ]
    for outcome in ask_all(answers):
        assert isinstance(outcome, ModelReply)
        assert (outcome.text, outcome.usage) == ("价😀", COUNTED)
        assert [(call.id, call.arguments) for call in outcome.tool_calls] == [("a", '{"é":"格"}')]


def test_connection_is_used_again_after_a_stream() -> None:
    async def call() -> int:
        async with FaultyServer(raw_chunked()) as server:
            provider = chat(entry(server.url))
            for _ in range(3):
                await provider.complete(request(), OpenGate())
            await provider.close()
            return server.connections

    assert asyncio.run(call()) == 1


def raw_chunked() -> Answer:
    """The end of the body comes after the end of the answer."""
    return in_two(open_stream(events(chunk({"content": "a"}), TAIL)), b"0\r\n\r\n")


def test_answer_is_complete_though_the_server_never_ends_the_body() -> None:
    reply, _ = ask(in_two(open_stream(events(chunk({"content": "a"}), TAIL)), b""))
    assert (reply.text, reply.usage) == ("a", COUNTED)


def test_answer_is_complete_though_the_connection_breaks_after_it() -> None:
    reply, _ = ask(cut(open_stream(events(chunk({"content": "a"}), TAIL))))
    assert (reply.text, reply.usage) == ("a", COUNTED)


def test_model_that_cannot_stream_is_not_asked_to() -> None:
    _, server = ask(answer(OK), streaming=False)
    assert "stream" not in server.requests[0].document()
    assert "stream_options" not in server.requests[0].document()
    assert server.requests[0].headers["accept"] == "application/json"


def test_stream_that_nobody_asked_for_is_read() -> None:
    reply, _ = ask(stream(events(chunk({"content": "a"}))), streaming=False)
    assert reply.text == "a"


ERROR = {"error": {"message": "no", "type": "invalid_request_error"}}
GOOD = chunk({"content": "a"}, "stop")


@pytest.mark.parametrize(
    ("body", "code"),
    [
        pytest.param(events(GOOD, TAIL, end=None), "incomplete_stream", id="no-done"),
        pytest.param(events(GOOD, TAIL, end=None) + b"data: [DONE]", "incomplete_stream", id="done-cut"),
        pytest.param(b"", "incomplete_stream", id="nothing"),
        pytest.param(b": ping\n\n", "incomplete_stream", id="comments-only"),
        pytest.param(events(), "empty_response", id="done-only"),
        pytest.param(events(TAIL), "empty_response", id="usage-only"),
        pytest.param(events(GOOD, ERROR), "stream_error", id="error"),
        pytest.param(events(ERROR), "stream_error", id="error-first"),
        pytest.param(events({"error": "no"}), "stream_error", id="error-text"),
        pytest.param(b'event: error\ndata: {"message":"no"}\n\n', "stream_error", id="error-event"),
        pytest.param(events({"choices": [{"error": {"code": 400}}]}), "stream_error", id="error-in-choice"),
        pytest.param(events({"object": "error", "message": "no"}), "stream_error", id="error-without-a-frame"),
        pytest.param(events(GOOD, '{"choices"'), "invalid_stream", id="cut-json"),
        pytest.param(events("<html>"), "invalid_stream", id="html"),
        pytest.param(events([]), "invalid_stream", id="list"),
        pytest.param(events("7"), "invalid_stream", id="number"),
        pytest.param(events('{"choices":[],"choices":[]}'), "invalid_stream", id="repeated-key"),
        pytest.param(events('{"x":NaN}'), "invalid_stream", id="nan"),
        pytest.param(events("[" * 100_000), "invalid_stream", id="deep"),
        pytest.param(b'data: {"choices":"\xff"}\n\n', "invalid_stream", id="not-utf-8"),
        pytest.param(events({"choices": {}}), "invalid_stream", id="choices-that-are-no-list"),
        pytest.param(events({"choices": [7]}), "invalid_stream", id="choice-that-is-no-object"),
        pytest.param(events({"choices": [{"delta": "a"}]}), "invalid_stream", id="delta-that-is-no-object"),
        pytest.param(events(chunk({"content": 7})), "invalid_stream", id="content-that-is-no-text"),
        pytest.param(events(chunk({"tool_calls": "f"})), "invalid_stream", id="calls-that-are-no-list"),
        pytest.param(events(chunk({"tool_calls": ["f"]})), "invalid_stream", id="call-that-is-no-object"),
        pytest.param(events(chunk({"tool_calls": [{"function": 7}]})), "invalid_stream", id="function-no-object"),
        pytest.param(events(chunk({"content": ""}, "length"), TAIL), "output_truncated", id="cut-before-a-word"),
        pytest.param(
            events(chunk({"tool_calls": [part('{"x":', "f", id="a")]}), chunk({}, "length")),
            "output_truncated",
            id="cut-within-a-call",
        ),
        pytest.param(b"data: " + b"x" * 1024 * 1024 + b"\n\n", "invalid_stream", id="event-beyond-1-mib"),
    ],
)
def test_broken_stream_has_its_class(body: bytes, code: str) -> None:
    error = fail(stream(body))
    assert error.error_code == code
    assert statuses(error.attempts) == [(200, code)]


def test_compressed_stream_is_refused() -> None:
    error = fail(stream(events(GOOD), {"Content-Encoding": "gzip"}))
    assert error.error_code == "invalid_response"


def test_content_beyond_4_mib_is_refused() -> None:
    piece = chunk({"content": "é" * 100_000})
    error = fail(flood(open_stream(), b"%x\r\n%s\r\n" % (len(events(piece, end=None)), events(piece, end=None))))
    assert error.error_code == "invalid_stream"
    assert "more than 4 MiB of text" in error.message


def test_stream_beyond_64_mib_is_refused() -> None:
    error = fail(flood(open_stream(), b"10000\r\n" + b": heartbeat12345\n" * 3855 + b"\n\r\n"))
    assert error.error_code == "invalid_stream"
    assert "more than 64 MiB" in error.message


TOLD = Reported(usage=COUNTED, finish_reason="stop", model_returned="test-1", request_id="cmpl-1")
BEGUN = events(GOOD, TAIL, end=None)


@pytest.mark.parametrize(
    ("broken", "code", "settings"),
    [
        pytest.param(stream(BEGUN), "incomplete_stream", {}, id="end"),
        pytest.param(stream(BEGUN + events(ERROR)), "stream_error", {}, id="error"),
        pytest.param(stream(BEGUN + b"data: {\n\n"), "invalid_stream", {}, id="malformed"),
        pytest.param(cut(open_stream(BEGUN)), "network_error", {}, id="cut"),
        pytest.param(in_two(open_stream(BEGUN), b""), "read_timeout", {"read": 0.2}, id="silence"),
        pytest.param(drip(open_stream(BEGUN), b"8\r\n: ping\n\n\r\n"), "read_timeout", {"total": 0.3}, id="heartbeats"),
        pytest.param(drip(open_stream(BEGUN), b"1\r\n:\r\n"), "read_timeout", {"total": 0.3}, id="drip"),
    ],
)
def test_what_was_reported_before_a_stream_broke_is_kept(broken: Answer, code: str, settings: dict[str, float]) -> None:
    error = fail(broken, timeout_seconds=settings)
    assert statuses(error.attempts) == [(200, code)]
    assert error.reported == TOLD


def test_slow_heartbeats_hold_off_the_read_timeout_only() -> None:
    error = fail(drip(open_stream(BEGUN), b"8\r\n: ping\n\n\r\n"), timeout_seconds={"read": 0.2, "total": 0.6})
    assert "in all" in error.message


def test_reset_within_a_stream_is_a_network_error() -> None:
    error = fail(reset(open_stream(BEGUN)))
    assert error.error_code == "network_error"


@pytest.mark.parametrize(
    ("body", "again"),
    [
        (BEGUN, True),
        (events({"error": {"type": "overloaded_error"}}), True),
        (events({"error": {"code": 503}}), True),
        (events(ERROR), False),
        (events("{"), False),
        (events(), False),
        (events(chunk({}, "length")), False),
    ],
)
def test_only_a_passing_fault_of_a_stream_is_tried_again(body: bytes, again: bool) -> None:
    waits = Waits()
    if again:
        reply, _ = ask(stream(body), answer(OK), waits=waits, max_retries=1)
        assert len(reply.attempts) == 2
    else:
        assert len(fail(stream(body), answer(OK), waits=waits, max_retries=1).attempts) == 1


@pytest.mark.parametrize("figure", [True, -1, 1.5, "7", None, [1], 2**53, 10**30])
def test_usage_that_is_no_count_is_unknown(figure: Any) -> None:
    usage = {"prompt_tokens": figure, "completion_tokens": 3, "completion_tokens_details": figure}
    assert reply_to(GOOD, {"choices": [], "usage": usage}).usage == Usage(output_tokens=3)


def test_later_usage_replaces_an_earlier_one() -> None:
    early = chunk({"content": "a"}, usage={"prompt_tokens": 9, "completion_tokens": 1})
    assert reply_to(early, TAIL).usage == COUNTED


def test_key_split_over_two_deltas_is_removed_wherever_it_is_cut() -> None:
    answers = []
    for at in range(1, len(KEY)):
        first, second = KEY[:at], KEY[at:]
        text = [chunk({"content": f"key: {first}"}), chunk({"content": f"{second}."})]
        calls = [part('{"a": "' + first, f"n{first}", id="c", index=0), part(second + '"}', second, index=0)]
        answers.append(stream(events(*text, *(chunk({"tool_calls": [call]}) for call in calls), TAIL)))
    for outcome in ask_all(answers):
        assert isinstance(outcome, ModelReply)
        assert outcome.text == f"key: {REMOVED}."
        assert outcome.tool_calls[0].name == f"n{REMOVED}"
        assert outcome.tool_calls[0].arguments == '{"a": "' + REMOVED + '"}'


def test_key_in_the_ids_of_a_stream_makes_them_null() -> None:
    echoed = {"id": KEY, "model": KEY, "system_fingerprint": KEY}
    calls = [part("{}", "f", id=KEY, index=0)]
    reply = reply_to(chunk({"tool_calls": calls}, KEY) | echoed)
    assert (reply.request_id, reply.model_returned, reply.system_fingerprint, reply.finish_reason) == (None,) * 4
    assert reply.tool_calls[0].id == REMOVED


def test_key_in_the_error_of_a_stream_is_removed() -> None:
    error = fail(stream(events({"error": {"message": f"Wrong key: {KEY} is bad", "code": KEY}}, {"id": KEY})))
    assert f"Wrong key: {REMOVED} is bad" in error.message
    assert KEY not in repr(error.reported)


def test_key_in_a_broken_event_or_header_never_comes_out() -> None:
    for body in (f"data: {KEY}\n\n".encode(), f"event: {KEY}\ndata: []\n\n".encode(), f": {KEY}\n".encode()):
        error = fail(stream(body, {"x-request-id": KEY, "x-echo": KEY}))
        assert KEY not in str(error.__dict__)


def test_more_calls_than_anyone_can_answer_are_no_reply() -> None:
    deltas = [chunk({"tool_calls": [{"index": n}]}) for n in range(MOST_CALLS + 1)]
    caught = fail(stream(events(*deltas)))
    assert (caught.error_code, f"more than {MOST_CALLS}" in caught.message) == ("invalid_stream", True)


def test_a_body_with_more_calls_than_anyone_can_answer_is_no_reply() -> None:
    caught = fail(answer(completion({"content": None, "tool_calls": [{}] * (MOST_CALLS + 1)})))
    assert (caught.error_code, f"more than {MOST_CALLS}" in caught.message) == ("invalid_response", True)


@pytest.mark.parametrize("figure", [2**53 - 1, MOST_TOKENS + 1])
def test_a_figure_beyond_any_model_counts_as_not_reported(figure: int) -> None:
    usage = {"prompt_tokens": figure, "completion_tokens": 4}
    reply = reply_to(chunk({"content": "fine"}, "stop"), {**TAIL, "usage": usage})
    assert reply.usage == Usage(input_tokens=None, output_tokens=4)
