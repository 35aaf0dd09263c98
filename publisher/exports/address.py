"""Where a site will stand. A snapshot can't know that, so whoever builds a site may say it, and the site keeps it."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import Field, StringConstraints, ValidationError

from dataset.canonical import CanonicalError, read_canonical
from dataset.errors import GlassbenchError
from dataset.record import Record

SITE_ADDRESS = "site.json"
"""Beside the pages: with it, `verify` renders them again for the same address."""
_ADDRESS = (
    r"^https?://([A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*|\[[0-9A-Fa-f:]{2,39}\])"
    r"(:[0-9]{1,5})?/([A-Za-z0-9._~!$&()*+,;=:@%-]+/)*$"
)
_LONGEST = 1_000
_DOTS = re.compile(r"/(\.|%2e){1,2}/", re.IGNORECASE)
"""A segment that leads elsewhere: browsers take one written in percent for the dots themselves (WHATWG URL,
"single-dot" and "double-dot URL path segment")."""


class SiteAddressError(GlassbenchError):
    """What was given isn't the address of a site."""

    code = "SITE-URL-001"


class SiteAddress(Record):
    """`site.json`, in canonical bytes. `url` is absolute and ends with a slash."""

    schema_: Literal["glassbench.site-address/1"] = Field(alias="schema", default="glassbench.site-address/1")
    url: Annotated[str, StringConstraints(pattern=_ADDRESS, max_length=_LONGEST)]

    def of(self, name: str) -> str:
        """The absolute address of a file of the site, an anchor in it included."""
        return self.url + name


def site_address(url: str) -> SiteAddress:
    """The address that somebody wrote, with or without its last slash; SiteAddressError where it is none."""
    written = url if url.endswith("/") else f"{url}/"
    if _DOTS.search(written):
        raise _refusal(url)
    try:
        return SiteAddress(url=written)
    except ValidationError as error:
        raise _refusal(url) from error


def read_site_address(data: bytes) -> SiteAddress:
    """The address in the bytes of a `site.json`; SiteAddressError where they aren't what a build writes."""
    try:
        found = SiteAddress.model_validate(read_canonical(data), strict=True)
    except (CanonicalError, ValidationError) as error:
        raise SiteAddressError(f"{SITE_ADDRESS} isn't what a build writes") from error
    return site_address(found.url)


def _refusal(url: str) -> SiteAddressError:
    return SiteAddressError(
        f"{url[:200]!r} is not the address of a site",
        hint="give an absolute one, like https://example.org/results/, without query or fragment",
    )


def located(address: SiteAddress | None, name: str) -> str:
    """A file of the site: absolute where the address is known, else relative to the site's root."""
    return address.of(name) if address is not None else name
