"""The connections to one server, on aiohttp: every wait is timed, and a request is announced before its first byte."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager

import aiohttp
from aiohttp.abc import AbstractStreamWriter

from engine.providers.call_failure import CallFailure
from engine.providers.model_entry import Timeouts

BeforeSending = Callable[[], Awaitable[None]]
_PIECE = 32 * 1024


class NotSentError(Exception):
    """What `before_sending` raised, wrapped so that the library can't take it for a fault of the connection."""

    def __init__(self, reason: Exception) -> None:
        super().__init__("nothing was sent")
        self.reason = reason


class PoolTimeoutError(TimeoutError):
    """No connection came free in time."""


class WriteTimeoutError(TimeoutError):
    """The server stopped taking the request."""


class Connections:
    """Posts to one address over at most `size` connections, which are kept open between calls.

    No redirect is followed, no cookie kept, no proxy or .netrc of the environment used, no body decompressed, and no
    request ever repeated (aiohttp repeats idempotent methods only, and POST isn't one). SSL_CERT_FILE and SSL_CERT_DIR
    are honoured. The session is made by the first call, in its event loop.
    """

    def __init__(self, url: str, headers: Mapping[str, str], *, timeouts: Timeouts, size: int) -> None:
        self._url = url
        self._headers = dict(headers)
        self._pool_seconds = timeouts.pool
        self._write_seconds = timeouts.write
        # `connect` spans the look-up of the name, TCP and TLS; the wait for a free connection is timed in `_place`.
        self._timeout = aiohttp.ClientTimeout(total=None, connect=timeouts.connect, sock_read=timeouts.read)
        self._places = asyncio.Semaphore(size)
        self._session: aiohttp.ClientSession | None = None

    @asynccontextmanager
    async def post(self, body: bytes, before_sending: BeforeSending) -> AsyncIterator[aiohttp.ClientResponse]:
        """The response with its body unread; leaving the block gives the connection back or closes it.

        `before_sending` is awaited once, when a connection is there and nothing has been sent: without it nothing was.
        Raises what `failure_of_transport` knows, and NotSentError where `before_sending` raised.
        """
        session = self._session or self._open()
        payload = _Body(body, before_sending, self._write_seconds)
        await self._place()
        try:
            try:
                async with session.post(self._url, data=payload, allow_redirects=False) as response:
                    yield response
            except _DeadConnectionError:
                async with session.post(self._url, data=payload, allow_redirects=False) as response:
                    yield response
        finally:
            self._places.release()

    async def close(self) -> None:
        """Closes every connection."""
        if self._session is not None:
            await self._session.close()

    async def _place(self) -> None:
        if self._places.locked():
            try:
                async with asyncio.timeout(self._pool_seconds):
                    await self._places.acquire()
            except TimeoutError:
                raise PoolTimeoutError from None
        else:
            await self._places.acquire()

    def _open(self) -> aiohttp.ClientSession:
        self._session = open_session(self._url, self._headers, self._timeout, request_class=_AnnouncedRequest)
        return self._session


def open_session(
    url: str,
    headers: Mapping[str, str],
    timeout: aiohttp.ClientTimeout,
    *,
    request_class: type[aiohttp.ClientRequest] = aiohttp.ClientRequest,
) -> aiohttp.ClientSession:
    """A session that keeps no cookie, reads no settings of the environment but those of TLS, and decompresses nothing.

    To be made within a running event loop, and closed by whoever made it.
    """
    context: ssl.SSLContext | bool = True
    if url.startswith("https:"):
        # Not aiohttp's own, which it makes on import: a variable that was set since (SSL_CERT_FILE) must count.
        context = ssl.create_default_context()
        context.set_alpn_protocols(["http/1.1"])
    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0, ssl=context),
        headers=headers,
        cookie_jar=aiohttp.DummyCookieJar(),
        timeout=timeout,
        trust_env=False,
        auto_decompress=False,
        request_class=request_class,
    )


class _DeadConnectionError(aiohttp.ClientConnectionError):
    """The server closed the connection while the request was announced. Not a byte of it was sent."""


class _Body(aiohttp.Payload):
    """The bytes of a request: they carry what must be awaited before them, and each piece must be taken in time."""

    _autoclose = True

    def __init__(self, value: bytes, before_sending: BeforeSending, seconds: float) -> None:
        super().__init__(value, content_type="application/json")
        self._before_sending: BeforeSending | None = before_sending
        self._bytes = value
        self._size = len(value)
        self._seconds = seconds

    async def announce(self) -> None:
        """Awaits what must come before the first byte, once; NotSentError where it raises."""
        if self._before_sending is not None:
            try:
                await self._before_sending()
            except Exception as error:
                raise NotSentError(error) from None
            self._before_sending = None

    def decode(self, encoding: str = "utf-8", errors: str = "strict") -> str:
        return self._bytes.decode(encoding, errors)

    async def write(self, writer: AbstractStreamWriter) -> None:
        if len(self._bytes) <= _PIECE:  # below the transport's high-water mark, so it never waits
            await writer.write(self._bytes)
            return
        for start in range(0, len(self._bytes), _PIECE):
            try:
                async with asyncio.timeout(self._seconds):
                    await writer.write(self._bytes[start : start + _PIECE])
                    await writer.drain()
            except TimeoutError:
                raise WriteTimeoutError from None


class _AnnouncedRequest(aiohttp.ClientRequest):
    """`send` is where aiohttp has its connection, new or used before, and hasn't written to it."""

    async def send(self, conn: aiohttp.connector.Connection) -> aiohttp.ClientResponse:
        if isinstance(self.body, _Body):
            await self.body.announce()
        # Some servers promise to keep a connection and close it all the same, maybe during the announcement.
        if conn.protocol is None or not conn.protocol.is_connected():
            raise _DeadConnectionError
        return await super().send(conn)


def failure_of_transport(error: aiohttp.ClientError | OSError) -> CallFailure:
    """The failure behind a fault of the connection. Nothing of the error is kept: it holds the request."""
    match error:
        case PoolTimeoutError():
            return CallFailure(code="connect_timeout", message="no free connection in time", retryable=True)
        case aiohttp.ConnectionTimeoutError():
            return CallFailure(code="connect_timeout", message="no connection in time", retryable=True)
        case WriteTimeoutError():
            return CallFailure(code="read_timeout", message="the server didn't take the request", retryable=True)
        case TimeoutError():
            return CallFailure(code="read_timeout", message="the server fell silent", retryable=True)
        case aiohttp.ClientConnectorError():
            return CallFailure(code="network_error", message="the server can't be reached", retryable=True)
        case aiohttp.ServerDisconnectedError() | aiohttp.ClientPayloadError() | aiohttp.ClientResponseError():
            message = "the connection ended before the answer was complete, or the answer isn't HTTP"
            return CallFailure(code="network_error", message=message, retryable=True)
        case _:
            return CallFailure(code="network_error", message="the connection broke", retryable=True)
