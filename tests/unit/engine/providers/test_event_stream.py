"""Events out of bytes, however they are split."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.providers.event_stream import EVENT_LIMIT, EventStreamParser, EventTooLargeError, ServerEvent

ODD = "a\u2028b\u0085c\x0bd\x0ce\x1cf"
"""What `str.splitlines` would cut."""


def parsed(*chunks: bytes, limit: int = EVENT_LIMIT) -> list[ServerEvent]:
    parser = EventStreamParser(limit)
    return [event for chunk in chunks for event in parser.feed(chunk)]


def told(data: str, name: str = "") -> ServerEvent:
    return ServerEvent(name.encode(), data.encode())


@pytest.mark.parametrize(
    ("stream", "events"),
    [
        pytest.param("data: a\n\ndata: b\n\n", [told("a"), told("b")], id="line-feed"),
        pytest.param("data: a\r\n\r\ndata: b\r\n\r\n", [told("a"), told("b")], id="both"),
        pytest.param("data: a\r\rdata: b\r\r", [told("a"), told("b")], id="carriage-return"),
        pytest.param("data: a\r\n\ndata: b\n\r\n", [told("a"), told("b")], id="mixed"),
        pytest.param("data: a\ndata:\ndata: b\n\n", [told("a\n\nb")], id="several-data-lines"),
        pytest.param("data: a\r\ndata: b\r\n\r\n", [told("a\nb")], id="several-data-lines-with-both"),
        pytest.param("data:a\n\ndata:  b\n\n", [told("a"), told(" b")], id="one-blank-is-dropped"),
        pytest.param("data\n\n", [told("")], id="field-without-colon"),
        pytest.param(": ping\n\n: ping\ndata: a\n: ping\n\n", [told("a")], id="comments"),
        pytest.param("event: error\ndata: a\n\ndata: b\n\n", [told("a", "error"), told("b")], id="name-for-one-event"),
        pytest.param("event: gone\n\ndata: a\n\n", [told("a")], id="event-without-data"),
        pytest.param("id: 7\nretry: 10\nother: x\ndata: a\n\n", [told("a")], id="other-fields"),
        pytest.param("\n\n\ndata: a\n\n\n", [told("a")], id="blank-lines"),
        pytest.param("\ufeffdata: a\n\n", [told("a")], id="byte-order-mark"),
        pytest.param("data: \ufeffa\n\n", [told("\ufeffa")], id="mark-inside-stays"),
        pytest.param(
            "data: a\u2028b\u0085c\x0bd\x0ce\x1cf\n\n",
            [told("a\u2028b\u0085c\x0bd\x0ce\x1cf")],
            id="no-other-line-ends",
        ),
        pytest.param("data: 价格😀\n\n", [told("价格😀")], id="multi-byte"),
        pytest.param("data: a\n\ndata: b", [told("a")], id="cut-event-is-dropped"),
        pytest.param("data: a\n\ndata: b\n", [told("a")], id="event-without-its-blank-line-is-dropped"),
    ],
)
def test_events_are_the_same_at_every_split(stream: str, events: list[ServerEvent]) -> None:
    whole = stream.encode()
    assert parsed(whole) == events
    assert parsed(*(whole[i : i + 1] for i in range(len(whole)))) == events
    for at in range(len(whole) + 1):
        assert parsed(whole[:at], whole[at:]) == events


def test_carriage_return_ends_its_line_at_once() -> None:
    parser = EventStreamParser()
    assert parser.feed(b"data: a\r\r") == [told("a")]
    assert parser.feed(b"\n") == []
    assert parser.feed(b"data: b\r\n\r") == [told("b")]


def test_event_may_have_the_limit_and_no_byte_more() -> None:
    assert parsed(b"data: 345\n\n", limit=9) == [told("345")]
    for stream in (b"data: 3456\n\n", b"data: 3456", b"data: 3\ndata:\n\n", b": comment6", b"event: name\n"):
        with pytest.raises(EventTooLargeError):
            parsed(stream, limit=9)
        with pytest.raises(EventTooLargeError):
            parsed(*(stream[i : i + 1] for i in range(len(stream))), limit=9)


def test_limit_counts_each_event_anew() -> None:
    assert parsed(b"data: 345\n\n: 345678\n" * 50, limit=9) == [told("345")] * 50


@given(st.lists(st.tuples(st.text(), st.sampled_from(["\n", "\r", "\r\n"])), max_size=8), st.data())
def test_any_text_survives_any_split(texts: list[tuple[str, str]], data: st.DataObject) -> None:
    # A line end inside a text separates its data lines; the parser joins those with line feeds.
    whole, expected = b"", []
    for text, end in texts:
        lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        whole += b"".join(f"data: {line}{end}".encode() for line in lines) + end.encode()
        expected.append(told("\n".join(lines)))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=6)))
    chunks = [whole[a:b] for a, b in zip([0, *cuts], [*cuts, len(whole)], strict=True)]
    assert parsed(*chunks) == expected


@given(st.lists(st.binary(max_size=40), max_size=8))
def test_no_bytes_break_the_parser(chunks: list[bytes]) -> None:
    assert parsed(*chunks) == parsed(b"".join(chunks))
