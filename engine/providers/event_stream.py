"""Server-sent events out of bytes, however they are split (WHATWG HTML, 9.2.6 "Interpreting an event stream").

By hand because no kept library fits: httpx-sse and the clients' own decoders work on lines that somebody else has cut
and decoded, need httpx, and none of them bounds an event; here the limit on one event is the point.
"""

from __future__ import annotations

from typing import NamedTuple

EVENT_LIMIT = 1024 * 1024
"""Bytes of one event."""
_BOM = b"\xef\xbb\xbf"


class ServerEvent(NamedTuple):
    """One dispatched event: its name (empty for a plain message) and its data lines joined with line feeds."""

    name: bytes
    data: bytes


class EventTooLargeError(ValueError):
    """An event of more bytes than the limit."""


class EventStreamParser:
    """Takes bytes, gives events. An event that the stream's end cuts off is never given.

    It works on bytes: a character that two chunks share is whole again before anyone decodes it, and `bytes.splitlines`
    knows the three line ends of the standard only (that of `str` would also cut at U+2028 inside a text).
    """

    def __init__(self, limit: int = EVENT_LIMIT) -> None:
        self._limit = limit
        self._partial: list[bytes] = []
        self._partial_size = 0
        self._name = b""
        self._data: list[bytes] = []
        self._data_size = 0
        self._after_carriage_return = False
        self._started = False

    def feed(self, chunk: bytes) -> list[ServerEvent]:
        """The events that these bytes complete; EventTooLargeError where one is beyond the limit."""
        if self._after_carriage_return and chunk:
            self._after_carriage_return = False
            chunk = chunk.removeprefix(b"\n")
        if not chunk:
            return []
        events: list[ServerEvent] = []
        *lines, rest = _split(chunk)
        for line in lines:
            self._line(self._whole(line), events)
        self._keep(rest)
        self._after_carriage_return = chunk.endswith(b"\r")
        return events

    def _keep(self, piece: bytes) -> None:
        if piece:
            self._partial.append(piece)
            self._partial_size += len(piece)
            if self._data_size + self._partial_size > self._limit:
                raise EventTooLargeError

    def _whole(self, end: bytes) -> bytes:
        """The line that ends here. Pieces are joined once, so that a drip of single bytes costs linear time."""
        line = end
        if self._partial:
            line = b"".join((*self._partial, end))
            self._partial.clear()
            self._partial_size = 0
        if not self._started:
            self._started = True
            line = line.removeprefix(_BOM)
        return line

    def _line(self, line: bytes, events: list[ServerEvent]) -> None:
        if not line:
            if self._data:
                events.append(ServerEvent(self._name, b"\n".join(self._data)))
                self._data = []
                self._data_size = 0
            self._name = b""
            return
        size = self._data_size + len(line)
        if size > self._limit:
            raise EventTooLargeError
        field, _, value = line.partition(b":")
        if field == b"data":
            self._data.append(value.removeprefix(b" "))
            self._data_size = size
        elif field == b"event":
            self._name = value.removeprefix(b" ")


def _split(chunk: bytes) -> list[bytes]:
    """The complete lines without their ends, and after them what follows the last end (empty where nothing does)."""
    lines = chunk.splitlines()
    if chunk.endswith((b"\n", b"\r")):
        lines.append(b"")
    return lines
