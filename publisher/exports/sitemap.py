"""What a search engine asks for: `robots.txt`, and a sitemap where the address is known, which it can't do without.

https://www.sitemaps.org/protocol.html
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from publisher.exports.address import SiteAddress
from publisher.exports.interface import ExportFile
from publisher.exports.xml_document import element, xml_bytes

SITEMAP = "sitemap.xml"
ROBOTS = "robots.txt"
MOST = 50_000
"""Pages that one sitemap may name."""
_NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"


def robots(address: SiteAddress | None) -> ExportFile:
    """`robots.txt`: everything may be read. It is looked for at the root of a host only."""
    lines = ["User-agent: *", "Allow: /", *([f"Sitemap: {address.of(SITEMAP)}"] if address else []), ""]
    return ExportFile(
        name=ROBOTS, title="What robots may read", media_type="text/plain", data="\n".join(lines).encode()
    )


def sitemaps(pages: Sequence[str], address: SiteAddress | None) -> Iterator[ExportFile]:
    """`sitemap.xml` with every page, or where they are too many, an index of `sitemap-{n}.xml`; none without an
    address. No dates: when a page was put online isn't known to a snapshot."""
    if address is None:
        return
    parts = [pages[start : start + MOST] for start in range(0, len(pages), MOST)] or [()]
    if len(parts) == 1:
        yield _file(SITEMAP, "urlset", "url", parts[0], address)
        return
    names = [f"sitemap-{number}.xml" for number in range(1, len(parts) + 1)]
    yield _file(SITEMAP, "sitemapindex", "sitemap", names, address)
    for name, part in zip(names, parts, strict=True):
        yield _file(name, "urlset", "url", part, address)


def _file(name: str, kind: str, member: str, leads_to: Sequence[str], address: SiteAddress) -> ExportFile:
    root = element(kind, xmlns=_NAMESPACE)
    for page in leads_to:
        entry = element(member)
        entry.append(element("loc", address.of(page)))
        root.append(entry)
    return ExportFile(name=name, title="Sitemap", media_type="application/xml", data=xml_bytes(root))
