"""What a search engine asks for: `robots.txt`, and a sitemap where the address is known, which it can't do without.

https://www.sitemaps.org/protocol.html; each page names itself in every language, as links of XHTML.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from xml.etree.ElementTree import Element

from publisher.exports.address import SiteAddress
from publisher.exports.interface import ExportFile
from publisher.exports.xml_document import element, xml_bytes
from publisher.rendering.language.language import LANGUAGES

SITEMAP = "sitemap.xml"
ROBOTS = "robots.txt"
MOST = 10_000
"""Pages that one sitemap names: 50,000 may stand in one, and no more than 50 MB, which so many addresses of the longest
kind don't reach with those of their other languages."""
_NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"
_XHTML = "http://www.w3.org/1999/xhtml"


def robots(address: SiteAddress | None) -> ExportFile:
    """`robots.txt`: everything may be read. It is looked for at the root of a host only."""
    lines = ["User-agent: *", "Allow: /", *([f"Sitemap: {address.of(SITEMAP)}"] if address else []), ""]
    return ExportFile(
        name=ROBOTS, title="What robots may read", media_type="text/plain", data="\n".join(lines).encode()
    )


def sitemaps(pages: Sequence[str], address: SiteAddress | None) -> Iterator[ExportFile]:
    """`sitemap.xml` with every page in every language, or where they are too many, an index of `sitemap-{n}.xml`; none
    without an address. `pages` are named as they stand below the root of each language's pages. No dates: when a page
    was put online isn't known to a snapshot."""
    if address is None:
        return
    size = max(MOST // len(LANGUAGES), 1)
    parts = [pages[start : start + size] for start in range(0, len(pages), size)] or [()]
    if len(parts) == 1:
        yield _file(SITEMAP, _pages(parts[0], address))
        return
    names = [f"sitemap-{number}.xml" for number in range(1, len(parts) + 1)]
    yield _file(SITEMAP, _parts(names, address))
    for name, part in zip(names, parts, strict=True):
        yield _file(name, _pages(part, address))


def _parts(names: Sequence[str], address: SiteAddress) -> Element:
    root = element("sitemapindex", xmlns=_NAMESPACE)
    for name in names:
        entry = element("sitemap")
        entry.append(element("loc", address.of(name)))
        root.append(entry)
    return root


def _pages(pages: Sequence[str], address: SiteAddress) -> Element:
    root = element("urlset", **{"xmlns": _NAMESPACE, "xmlns:xhtml": _XHTML})
    for page in pages:
        for language in LANGUAGES:
            entry = element("url")
            entry.append(element("loc", address.of(f"{language.folder}{page}")))
            entry.extend(_alternates(page, address))
            root.append(entry)
    return root


def _alternates(page: str, address: SiteAddress) -> Iterator[Element]:
    """The page in every language, itself included, as each of them must name them all."""
    for tag, folder in (*((language.tag, language.folder) for language in LANGUAGES), ("x-default", "")):
        yield element("xhtml:link", rel="alternate", hreflang=tag, href=address.of(f"{folder}{page}"))


def _file(name: str, root: Element) -> ExportFile:
    return ExportFile(name=name, title="Sitemap", media_type="application/xml", data=xml_bytes(root))
