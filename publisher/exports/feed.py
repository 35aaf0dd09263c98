"""The Atom feed of releases (RFC 4287). Its ids name the releases, not the place, so they stay where a site moves;
its links are relative where the address isn't known."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import UUID, uuid5
from xml.etree import ElementTree

from publisher.exports.address import SiteAddress, located
from publisher.exports.identity import latest_signers, series_id, signer_names
from publisher.exports.interface import ExportFile, ExportSource
from publisher.exports.xml_document import element, xml_bytes
from publisher.rendering.language.language import LANGUAGES
from publisher.rendering.page_names import RELEASES
from publisher.rendering.views.release import ReleaseView, release_views

FEED = "feed.atom"
_UNSIGNED = "Not signed"
_NEVER = "1970-01-01T00:00:00.000Z"


def feed(source: ExportSource) -> Iterator[ExportFile]:
    """`feed.atom`: every release, latest first."""
    snapshot, address = source.snapshot, source.address
    series = UUID(series_id(snapshot.index)[:32])
    root = element("feed", xmlns="http://www.w3.org/2005/Atom")
    root.append(element("title", "Glassbench releases" + (" (synthetic)" if snapshot.synthetic else "")))
    root.append(element("id", series.urn))
    releases = release_views(snapshot)
    root.append(element("updated", releases[0].release.published_at if releases else _NEVER))
    root.append(_author(tuple(latest_signers(snapshot))))
    root.extend(_pages(address, RELEASES))
    if address is not None:
        root.append(element("link", rel="self", type="application/atom+xml", href=address.of(FEED)))
    for found in releases:
        root.append(_entry(source, found, series))
    yield ExportFile(name=FEED, title="Feed of releases", media_type="application/atom+xml", data=xml_bytes(root))


def _entry(source: ExportSource, found: ReleaseView, series: UUID) -> ElementTree.Element:
    number = found.release.number
    entry = element("entry")
    entry.append(element("title", f"Release {number}"))
    entry.append(element("id", uuid5(series, f"release-{number}").urn))
    entry.append(element("updated", found.release.published_at))
    entry.append(_author(signer_names(found)))
    entry.extend(_pages(source.address, f"{RELEASES}#release-{number}"))
    entry.append(element("summary", _summary(found), type="text"))
    return entry


def _pages(address: SiteAddress | None, page: str) -> Iterator[ElementTree.Element]:
    """The page in every language, that at the site's root first."""
    for language in LANGUAGES:
        href = located(address, f"{language.folder}{page}")
        yield element("link", rel="alternate", type="text/html", hreflang=language.tag, href=href)


def _author(signers: tuple[str, ...]) -> ElementTree.Element:
    author = element("author")
    author.append(element("name", ", ".join(signers) or _UNSIGNED))
    return author


def _summary(found: ReleaseView) -> str:
    told = []
    if found.brought:
        told.append("Brought " + ", ".join(str(brought.report.batch_id) for brought in found.brought) + ".")
    told += [
        f"Withdrew {len(gone.runs)} of the runs of {gone.report.batch_id}: {gone.reason}" for gone in found.withdrew
    ]
    told += [
        f"Revealed {', '.join(shown.reveal.parts)} of case {shown.reveal.case_id} in {shown.report.batch_id}."
        for shown in found.revealed
    ]
    return "\n".join(told)
