"""Where a PostgreSQL server is: a URL that can be shown without its secrets."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote

from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from dataset.errors import GlassbenchError

_DRIVERS = ("postgres", "postgresql", "postgresql+psycopg")


class AddressError(GlassbenchError):
    """A database URL that can't be used; the message never repeats it."""

    code = "DB-URL-001"


@dataclass(frozen=True, kw_only=True)
class Address:
    """A parsed database URL. `str()` and `repr()` show the place only."""

    url: URL

    @property
    def place(self) -> str:
        """Host (or socket directory), port and database: what a message may say."""
        host = self.url.host or self._asked("host") or "the local socket"
        port = self.url.port or self._asked("port") or 5432
        return f"{host}:{port}/{self.url.database or ''}"

    def without_secrets(self, text: str) -> str:
        """The text with every password of this URL replaced, as written and percent-encoded."""
        secrets = [str(self.url.password or ""), self._asked("password"), self._asked("sslpassword")]
        for secret in secrets:
            for form in (secret, quote(secret, safe="")):
                text = text.replace(form, "***") if form else text
        return text

    def _asked(self, name: str) -> str:
        value = self.url.query.get(name, "")
        return value if isinstance(value, str) else value[0]

    def __repr__(self) -> str:
        return f"Address({self.place})"

    __str__ = __repr__


def parse_address(text: str) -> Address:
    """The address in `postgres://`, `postgresql://` or `postgresql+psycopg://` text; AddressError for anything else."""
    try:
        url = make_url(text.strip())
    except (ArgumentError, ValueError):
        url = None
    if url is None or url.drivername not in _DRIVERS:
        raise AddressError(
            "GLASSBENCH_DATABASE_URL isn't a PostgreSQL URL",
            hint="write postgresql://USER:PASSWORD@HOST:PORT/DATABASE, with special characters percent-encoded",
        )
    return Address(url=url.set(drivername="postgresql+psycopg"))
