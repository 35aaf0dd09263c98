"""The small server behind `--metrics-port`: answers GET on three paths and nothing else.

It runs in threads of its own, so that it can still say that the event loop hangs.
"""

from __future__ import annotations

import socket
import socketserver
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from typing import Any

from dataset.errors import GlassbenchError

MOST_CONNECTIONS = 16
LONGEST_SECONDS = 15.0
"""No connection is open for longer, however slowly it sends or reads."""
_SILENT_SECONDS = 5.0
_LOOK_SECONDS = 0.5
TEXT = "text/plain; charset=utf-8"


class ProbeAddressError(GlassbenchError):
    """An address that nobody can listen on."""

    code = "WORKER-PORT-001"


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """What is sent back."""

    body: bytes
    status: int = 200
    content_type: str = TEXT


Answers = Mapping[str, Callable[[], Answer]]


@contextmanager
def probe_server(host: str, port: int, answers: Answers) -> Iterator[tuple[str, int]]:
    """Serves while the block runs; gives the address and port, which for port 0 is a free one. ProbeAddressError."""
    try:
        server = _Server(host, port, answers)
    except (OSError, OverflowError) as error:
        reason = error.strerror if isinstance(error, OSError) else "no such port"
        raise ProbeAddressError(
            f"can't listen on {host} port {port}: {reason}",
            hint="choose another with --metrics-port (0: any that is free) or --metrics-host",
        ) from None
    thread = threading.Thread(target=server.serve_forever, args=(_LOOK_SECONDS,), name="glassbench-probes", daemon=True)
    thread.start()
    try:
        yield host, server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()


class _Server(socketserver.ThreadingMixIn, socketserver.TCPServer):
    allow_reuse_address = True
    daemon_threads = True
    block_on_close = False
    request_queue_size = MOST_CONNECTIONS

    def __init__(self, host: str, port: int, answers: Answers) -> None:
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self.answers = answers
        self._open: dict[Any, float] = {}
        self._lock = threading.Lock()
        super().__init__((host, port), _Handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        with self._lock:
            full = len(self._open) >= MOST_CONNECTIONS
            if not full:
                self._open[request] = time.monotonic()
        if full:
            super().shutdown_request(request)
        else:
            super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        with self._lock:
            self._open.pop(request, None)
        super().shutdown_request(request)

    def service_actions(self) -> None:
        overdue = time.monotonic() - LONGEST_SECONDS
        with self._lock:
            late = [request for request, since in self._open.items() if since < overdue]
        for request in late:
            with suppress(OSError):
                request.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away or fell silent is no event."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    timeout = _SILENT_SECONDS
    server_version = "glassbench"
    sys_version = ""

    def do_GET(self) -> None:
        make = self.server.answers.get(self.path.partition("?")[0])
        if make is None:
            self._send(Answer(status=404, body=b"there is /metrics, /live and /ready\n"))
        else:
            self._send(make())

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Whatever is wrong with a request is answered in our own words; nothing of it is sent back."""
        if code == 501:
            self._send(Answer(status=405, body=b"GET is all there is\n"))
        else:
            self._send(Answer(status=code, body=b"no request\n"))

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Nothing: a request's text is text from outside."""

    def _send(self, answer: Answer) -> None:
        self.close_connection = True
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.content_type)
        self.send_header("Content-Length", str(len(answer.body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        if answer.status == 405:
            self.send_header("Allow", "GET")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(answer.body)
