"""`site serve`: a site over HTTP for one's own eyes, with the headers that a public host should send."""

from __future__ import annotations

import errno
import re
import socket
from collections.abc import Callable
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

from publisher.rendering.errors import ServeError
from publisher.rendering.page_names import HOME, NOT_FOUND
from publisher.rendering.site.hosting import MEDIA_TYPES, REVALIDATED, SECURITY_HEADERS, media_type

HEADERS = {**SECURITY_HEADERS, "Cache-Control": REVALIDATED}
"""No file is kept: who serves for their own eyes looks at what they have just changed."""
PRIVATE_HEADERS = {"Cache-Control": "no-store", "X-Robots-Tag": "noindex, nofollow, noarchive"}
_LOOPBACK = re.compile(r"(localhost|127\.0\.0\.1|\[::1\])(:\d+)?", re.IGNORECASE)
_RELATIVE_LINK = re.compile(rb'(href|src)="(?![#/"]|[a-z]+:)')


def serve(
    directory: Path,
    host: str = "127.0.0.1",
    port: int = 8000,
    *,
    ready: Callable[[str], None],
    private: bool = False,
) -> None:
    """Serves a directory until interrupted; `ready` is told the address. ServeError where it can't begin."""
    with make_server(directory, host, port, private=private) as server:
        name = f"[{host}]" if ":" in host else host
        ready(f"http://{name}:{server.server_port}/")
        server.serve_forever()


def make_server(
    directory: Path, host: str = "127.0.0.1", port: int = 0, *, private: bool = False
) -> ThreadingHTTPServer:
    """A server that listens already; port 0 takes any free one (`server_port`). ServeError where it can't begin.

    `private`: what it serves isn't public. It answers to the names of this machine alone, so that no page of another
    site reads it under a name that it has pointed here, and asks that nothing be kept.
    """
    if not directory.is_dir():
        raise ServeError(f"{directory} is not a directory", code="SITE-SERVE-002", hint="run `glassbench site build`")
    try:
        return _Server(directory.resolve(), host, port, private=private)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise ServeError(f"port {port} on {host} is in use", hint="name another one with --port") from error
        raise ServeError(
            f"can't listen on {host} port {port}: {error.strerror or error}", code="SITE-SERVE-003"
        ) from error


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, directory: Path, host: str, port: int, *, private: bool) -> None:
        self.directory = directory
        self.private = private
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        super().__init__((host, port), _Handler)

    def handle_error(self, request: object, client_address: object) -> None:
        """Silent: a reader who closes a connection is no fault."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Answer:
    status: HTTPStatus
    content_type: str = "text/plain; charset=utf-8"
    data: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)


class _Handler(BaseHTTPRequestHandler):
    server_version = "glassbench"
    sys_version = ""
    protocol_version = "HTTP/1.1"
    timeout = 30
    server: _Server

    def do_GET(self) -> None:
        """A file below the directory, or the 404 page."""
        self._send(with_body=True)

    def do_HEAD(self) -> None:
        """The headers of the same answer."""
        self._send(with_body=False)

    def end_headers(self) -> None:
        """Every answer, an error too, carries the same headers."""
        for name, value in (HEADERS | PRIVATE_HEADERS if self.server.private else HEADERS).items():
            self.send_header(name, value)
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Silent: what a reader opens is nobody's business."""

    def _send(self, *, with_body: bool) -> None:
        if self.server.private and not _LOOPBACK.fullmatch(self.headers.get("Host", "")):
            answer = _Answer(status=HTTPStatus.MISDIRECTED_REQUEST, data=b"served to this machine alone\n")
        else:
            answer = _answer(self.server.directory, unquote(urlsplit(self.path).path, errors="replace"))
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.content_type)
        self.send_header("Content-Length", str(len(answer.data)))
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.end_headers()
        if with_body:
            self.wfile.write(answer.data)


def _answer(directory: Path, path: str) -> _Answer:
    found = _find(directory, path)
    if found is None:
        return _not_found(directory, path)
    if found.is_dir():
        if not (found / HOME).is_file():
            return _not_found(directory, path)
        if not path.endswith("/"):
            # relative, so that no path can lead to another host
            location = f"{quote(found.name)}/"
            return _Answer(status=HTTPStatus.MOVED_PERMANENTLY, headers={"Location": location})
        found /= HOME
    try:
        data = found.read_bytes()
    except OSError:
        return _not_found(directory, path)
    return _Answer(status=HTTPStatus.OK, content_type=media_type(found.relative_to(directory).as_posix()), data=data)


def _find(directory: Path, path: str) -> Path | None:
    """What a path names below the directory; nothing hidden, nothing outside it, by a link neither."""
    parts = [part for part in path.split("/") if part]
    if any(part.startswith(".") or "\\" in part or "\0" in part for part in parts):
        return None
    try:
        found = directory.joinpath(*parts).resolve(strict=True)
    except (OSError, RuntimeError):
        return None
    if not found.is_relative_to(directory) or (path.endswith("/") and not found.is_dir()):
        return None
    return found


def _not_found(directory: Path, path: str) -> _Answer:
    """The 404 page with its links led back to the site's root, from however deep the missing page would be."""
    try:
        page = (directory / NOT_FOUND).read_bytes()
    except OSError:
        return _Answer(status=HTTPStatus.NOT_FOUND, data=b"not found\n")
    root = b"../" * (path.count("/") - 1)
    page = _RELATIVE_LINK.sub(lambda match: match[0] + root, page)
    return _Answer(status=HTTPStatus.NOT_FOUND, content_type=MEDIA_TYPES[".html"], data=page)
