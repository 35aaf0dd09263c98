"""A server on a real loopback socket that answers as badly as it is told to."""

from __future__ import annotations

import asyncio
import json
import socket
import ssl
import struct
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

Answer = Callable[[asyncio.StreamWriter], Awaitable[None]]


@dataclass(frozen=True, kw_only=True, slots=True)
class SeenRequest:
    """A request as it came in; header names are in lower case."""

    line: str
    headers: Mapping[str, str]
    body: bytes

    def document(self) -> Any:
        return json.loads(self.body)


class FaultyServer:
    """Gives its answers in order, the last one again and again, and keeps every request."""

    def __init__(self, *answers: Answer, tls: ssl.SSLContext | None = None) -> None:
        self._answers = answers
        self._tls = tls
        self._handlers: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None
        self.requests: list[SeenRequest] = []
        self.connections = 0
        self.begun = 0
        """Of how many requests at least one byte came in."""

    @property
    def url(self) -> str:
        assert self._server is not None
        port = self._server.sockets[0].getsockname()[1]
        return f"http://127.0.0.1:{port}/v1"

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=self._tls)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._server is not None
        self._server.close()
        for handler in self._handlers:
            handler.cancel()
        await asyncio.gather(*self._handlers, return_exceptions=True)
        await self._server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._handlers.add(task)
        self.connections += 1
        try:
            while not writer.is_closing() and await self._answer(reader, writer):
                pass
        except (ConnectionError, asyncio.CancelledError):
            pass
        finally:
            self._handlers.discard(task)
            writer.transport.abort()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        try:
            first = await reader.readexactly(1)
            self.begun += 1
            head = (first + await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        except asyncio.IncompleteReadError:
            return False
        line, *rest = head.strip().split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (text.partition(":") for text in rest)}
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        answer = self._answers[min(len(self.requests), len(self._answers) - 1)]
        self.requests.append(SeenRequest(line=line, headers=headers, body=body))
        await answer(writer)
        return True


def http(status: int, body: bytes, headers: Mapping[str, str] | None = None) -> bytes:
    """A complete response; give `Content-Length` to lie about it, `Content-Type` to change it from JSON."""
    told = {"Content-Type": "application/json", "Content-Length": str(len(body)), **(headers or {})}
    lines = "".join(f"{name}: {value}\r\n" for name, value in told.items())
    return f"HTTP/1.1 {status} Told\r\n{lines}\r\n".encode("latin-1") + body


def raw(data: bytes) -> Answer:
    """Exactly these bytes; the connection stays open."""

    async def send(writer: asyncio.StreamWriter) -> None:
        writer.write(data)
        await writer.drain()

    return send


def answer(document: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Answer:
    """A response with a JSON document."""
    return raw(http(status, json.dumps(document).encode(), headers))


def events(*documents: Any, end: str | None = "[DONE]") -> bytes:
    """The body of an event stream: each document an event (a string as it stands), then its last one."""
    told = [text if isinstance(text, str) else json.dumps(text) for text in documents]
    return "".join(f"data: {text}\n\n" for text in (told if end is None else [*told, end])).encode()


def stream(body: bytes, headers: Mapping[str, str] | None = None) -> Answer:
    """A complete event stream."""
    return raw(http(200, body, {"Content-Type": "text/event-stream", **(headers or {})}))


def open_stream(*parts: bytes) -> bytes:
    """The beginning of a chunked event stream, each part a chunk of its own."""
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nTransfer-Encoding: chunked\r\n\r\n"
    return head + b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts if part)


def in_two(first: bytes, second: bytes) -> Answer:
    """Two writes with time enough between them to be read apart; the connection stays open."""

    async def send(writer: asyncio.StreamWriter) -> None:
        writer.write(first)
        await writer.drain()
        await asyncio.sleep(0.0005)
        writer.write(second)
        await writer.drain()

    return send


def cut(data: bytes) -> Answer:
    """These bytes, then an orderly end of the connection."""

    async def send(writer: asyncio.StreamWriter) -> None:
        writer.write(data)
        await writer.drain()
        writer.close()

    return send


def reset(data: bytes = b"") -> Answer:
    """These bytes, then a reset (RST) instead of an end."""

    async def send(writer: asyncio.StreamWriter) -> None:
        writer.write(data)
        await writer.drain()
        handle: socket.socket = writer.get_extra_info("socket")
        handle.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        writer.transport.abort()

    return send


def drip(data: bytes, drop: bytes = b" ") -> Answer:
    """These bytes, then a drop every hundredth of a second without end."""

    async def send(writer: asyncio.StreamWriter) -> None:
        writer.write(data)
        while True:
            writer.write(drop)
            await writer.drain()
            await asyncio.sleep(0.01)

    return send


def flood(data: bytes, block: bytes = b" " * 65536) -> Answer:
    """These bytes, then blocks without end."""

    async def send(writer: asyncio.StreamWriter) -> None:
        writer.write(data)
        while True:
            writer.write(block)
            await writer.drain()

    return send


async def silence(writer: asyncio.StreamWriter) -> None:
    """Nothing at all, until the client gives up."""
    await asyncio.Event().wait()
