"""A chat-completions server in a thread of the test: it counts, waits at a gate, and answers as a function says."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

Answer = Callable[[str, Mapping[str, Any], Mapping[str, str]], bytes]
"""From path, request body and headers to a whole HTTP response."""


class ModelServer:
    """Listens on a free loopback port. `opened` counts first turns; while `gate` is clear, nobody is answered.

    `listing` is its whole answer to `GET …/models`; without it there is no such place (501). `looked` counts these.
    """

    def __init__(self, answer: Answer, *, delay: float = 0.0, listing: bytes | None = None) -> None:
        self._answer = answer
        self._listing = listing
        self.looked: list[tuple[str, Mapping[str, str]]] = []
        self._changed = threading.Condition()
        self.delay = delay
        self.gate = threading.Event()
        self.gate.set()
        self.opened = 0
        self.requests: list[tuple[str, Mapping[str, Any], Mapping[str, str]]] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    @property
    def url(self) -> str:
        """The base URL for a model's entry."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.gate.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def wait_until_opened(self, count: int, *, patience: float = 60) -> None:
        """Returns when so many first turns have come in; AssertionError where nobody asks any more."""
        with self._changed:
            arrived = self._changed.wait_for(lambda: self.opened >= count, timeout=patience)
        assert arrived, f"{self.opened} of {count} first turns came in"

    def _take(self, path: str, body: Mapping[str, Any], headers: Mapping[str, str]) -> bytes:
        first = not any(message["role"] == "tool" for message in body["messages"])
        with self._changed:
            self.requests.append((path, body, headers))
            self.opened += first
            self._changed.notify_all()
        self.gate.wait()
        time.sleep(self.delay)
        return self._answer(path, body, headers)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        take, listing, looked = self._take, self._listing, self.looked

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                data = self.rfile.read(int(self.headers["Content-Length"]))
                with suppress(OSError, ValueError):  # whoever asked was killed, perhaps in the middle of asking
                    self.wfile.write(take(self.path, json.loads(data), dict(self.headers)))
                self.close_connection = True

            def do_GET(self) -> None:
                looked.append((self.path, dict(self.headers)))
                if listing is None:
                    self.send_error(501)
                else:
                    self.wfile.write(listing)
                self.close_connection = True

            def handle(self) -> None:
                try:
                    super().handle()
                except OSError:
                    self.close_connection = True

            def log_message(self, *_: object) -> None:
                """Says nothing."""

        return Handler


def response(
    body: bytes, *, status: int = 200, content_type: str = "application/json", length: int | None = None
) -> bytes:
    """A whole HTTP response; `length` lies about the body's and closes the connection."""
    head = f"HTTP/1.1 {status} Told\r\nContent-Type: {content_type}\r\nConnection: close\r\n"
    return f"{head}Content-Length: {len(body) if length is None else length}\r\n\r\n".encode() + body


def listing(*model_ids: str, **more: Any) -> bytes:
    """A well-formed list of models."""
    document = {"object": "list", "data": [{"id": name, "object": "model"} for name in model_ids], **more}
    return response(json.dumps(document).encode())


def completion(
    text: str | None = None, calls: list[tuple[str, str]] | None = None, *, model: str = "served-1"
) -> bytes:
    """A well-formed chat completion with a text or tool calls."""
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if calls:
        message["tool_calls"] = [
            {"id": f"call_{n}", "type": "function", "function": {"name": name, "arguments": arguments}}
            for n, (name, arguments) in enumerate(calls)
        ]
    document = {
        "id": "cmpl-1",
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 3},
    }
    return response(json.dumps(document).encode())


def looks_then_answers(path: str, body: Mapping[str, Any], headers: Mapping[str, str]) -> bytes:
    """A model that calls one tool that isn't there, then gives up: two turns a run."""
    if any(message["role"] == "tool" for message in body["messages"]):
        return completion("I can't say.")
    return completion(calls=[("no_such_tool", "{}")])


def model_entry(key: str, base_url: str, **settings: Any) -> str:
    """An entry of models.toml for a server of a test; tables are written inline."""
    values = {
        "key": key,
        "display_name": key,
        "family": "test",
        "provider": "test",
        "wire_api": "openai_chat",
        "model_id": f"{key}-1",
        "base_url": base_url,
        "max_retries": 0,
        **settings,
    }
    lines = [f"{name} = {value if isinstance(value, int) else json.dumps(value)}" for name, value in values.items()]
    return "[[models]]\n" + "\n".join(lines) + "\n\n"
