"""Small connection pools side by side, because the bookkeeping of one large pool is what limits httpx."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import httpx

CONNECTIONS_PER_SHARD = 8


@dataclass(kw_only=True, slots=True)
class _Shard:
    transport: httpx.AsyncHTTPTransport
    in_flight: int = 0


class ConnectionShards:
    """Sends requests over the least busy of several pools.

    It uses httpx's transports without its client: no redirect is followed, no cookie kept, no proxy or .netrc of
    the environment used, no request logged. SSL_CERT_FILE and SSL_CERT_DIR are honoured.
    """

    def __init__(self, concurrency: int) -> None:
        # At debug level httpcore logs response headers, in which a server may send the key back.
        logging.getLogger("httpcore").setLevel(logging.WARNING)
        context = httpx.create_ssl_context()
        limits = httpx.Limits(max_connections=CONNECTIONS_PER_SHARD, max_keepalive_connections=CONNECTIONS_PER_SHARD)
        self._shards = [
            _Shard(transport=httpx.AsyncHTTPTransport(verify=context, limits=limits))
            for _ in range(-(-concurrency // CONNECTIONS_PER_SHARD))
        ]

    @asynccontextmanager
    async def send(self, request: httpx.Request) -> AsyncIterator[httpx.Response]:
        """The response with its body still unread; leaving the block gives the connection back or closes it."""
        shard = min(self._shards, key=lambda candidate: candidate.in_flight)
        shard.in_flight += 1
        try:
            response = await shard.transport.handle_async_request(request)
            try:
                yield response
            finally:
                await response.aclose()
        finally:
            shard.in_flight -= 1

    async def close(self) -> None:
        """Closes every connection."""
        for shard in self._shards:
            await shard.transport.aclose()
