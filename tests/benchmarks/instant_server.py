"""A model's server that answers at once, in a process of its own and with as little work as possible.

It looks at two things of a request: its path, and how many tool results it holds. What it sends was put together
before it started: a stream of chat completion chunks.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection

Answers = Mapping[bytes, Sequence[bytes]]
"""By path, one whole HTTP response for each number of tool results so far."""

_USAGE = {"prompt_tokens": 900, "completion_tokens": 60, "total_tokens": 960}
_TOOL_RESULT = b'"role":"tool"'


@dataclass(frozen=True, kw_only=True)
class Serving:
    """A server that runs: where it listens, and which process it is."""

    port: int
    pid: int

    def url(self, path: str) -> str:
        """The base URL of an entry whose requests take the answers of this path."""
        return f"http://127.0.0.1:{self.port}/{path}"


def text_turn(text: str) -> bytes:
    """An answer that is there at once, and so comes in one piece."""
    return _stream([{"content": text}], "stop")


def call_turn(tool: str, arguments: str, *, number: int) -> bytes:
    """One tool call."""
    function = {"name": tool, "arguments": arguments}
    call = {"index": 0, "id": f"call_{number:04d}", "type": "function", "function": function}
    return _stream([{"tool_calls": [call]}], "tool_calls")


@contextmanager
def serving(answers: Answers) -> Iterator[Serving]:
    """A server for as long as the block lasts."""
    spawn = multiprocessing.get_context("spawn")
    ours, its = spawn.Pipe()
    process = spawn.Process(target=_run, args=(dict(answers), its), daemon=True)
    process.start()
    its.close()  # so that a server that never came is heard of
    assert process.pid is not None
    port = ours.recv()
    try:
        yield Serving(port=port, pid=process.pid)
    finally:
        ours.send(None)
        process.join()


def _stream(deltas: Sequence[Mapping[str, object]], finish: str) -> bytes:
    head = {"id": "cmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "instant-1"}
    chunks = [
        *({**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas),
        {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": finish}]},
        {**head, "choices": [], "usage": _USAGE},
    ]
    events = b"".join(b"data: " + json.dumps(chunk).encode() + b"\n\n" for chunk in chunks) + b"data: [DONE]\n\n"
    return (
        b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nx-request-id: req-1\r\n"
        b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%b\r\n0\r\n\r\n" % (len(events), events)
    )


class _Conversation(asyncio.Protocol):
    def __init__(self, answers: Answers) -> None:
        self._answers = answers
        self._received = b""
        self._wanted = 0
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._received += data
        if not self._wanted:
            head, ends, _ = self._received.partition(b"\r\n\r\n")
            if not ends:
                return
            _, _, length = head.lower().partition(b"content-length:")
            self._wanted = len(head) + 4 + int(length.split(b"\r\n", 1)[0])
        if len(self._received) >= self._wanted:
            path = self._received.split(b" ", 2)[1].split(b"/", 2)[1]
            results = self._received.count(_TOOL_RESULT)
            self._received, self._wanted = b"", 0
            assert self._transport is not None
            self._transport.write(self._answers[path][results])


def _run(answers: Answers, parent: Connection) -> None:
    async def serve() -> None:
        loop = asyncio.get_running_loop()
        server = await loop.create_server(lambda: _Conversation(answers), "127.0.0.1", 0, backlog=1024)
        parent.send(server.sockets[0].getsockname()[1])
        await loop.run_in_executor(None, parent.recv)
        server.close()

    asyncio.run(serve())
