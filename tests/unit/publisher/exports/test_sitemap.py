from __future__ import annotations

from xml.etree import ElementTree

import pytest

from publisher.exports import sitemap
from publisher.exports.address import site_address
from publisher.exports.sitemap import robots, sitemaps
from tests.unit.publisher.exports.exported import URL

ADDRESS = site_address(URL)
LINK = "{http://www.w3.org/1999/xhtml}link"
LOC = "{http://www.sitemaps.org/schemas/sitemap/0.9}loc"


def places(data: bytes) -> list[str | None]:
    return [found.text for found in ElementTree.fromstring(data).iter(LOC)]


def test_the_sitemap_names_every_page_but_the_one_for_none(changed_site: dict[str, bytes]) -> None:
    pages = {name for name in changed_site if name.endswith(".html")} - {"404.html", "zh/404.html"}
    named = places(changed_site["sitemap.xml"])
    assert set(named) == {f"{URL}{page}" for page in pages}
    assert len(named) == len(pages)
    assert {f"{URL}downloads.html", f"{URL}zh/downloads.html"} < set(named)


def test_each_page_names_itself_in_every_language_and_what_it_names_is_there(changed_site: dict[str, bytes]) -> None:
    entries = list(ElementTree.fromstring(changed_site["sitemap.xml"]))
    for entry in entries:
        links = {link.get("hreflang"): str(link.get("href")) for link in entry.iter(LINK)}
        assert list(links) == ["en", "zh-Hans", "x-default"]
        assert links["x-default"] == links["en"]
        assert entry.findtext(LOC) in links.values()
        assert links["zh-Hans"] == links["en"].replace(URL, f"{URL}zh/")
        assert {href.removeprefix(URL) for href in links.values()} <= set(changed_site)
        assert all(link.get("rel") == "alternate" for link in entry.iter(LINK))
    assert entries


def test_without_an_address_there_is_none_and_robots_name_none(unlogged_site: dict[str, bytes]) -> None:
    assert not [name for name in unlogged_site if name.startswith("sitemap")]
    assert b"Sitemap" not in unlogged_site["robots.txt"]
    assert list(sitemaps(["index.html"], None)) == []


def test_robots_may_read_everything_and_find_the_sitemap() -> None:
    assert robots(ADDRESS).data.decode() == f"User-agent: *\nAllow: /\nSitemap: {URL}sitemap.xml\n"


def test_too_many_pages_for_one_sitemap_stand_in_several(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sitemap, "MOST", 4)
    pages = [f"page-{number}.html" for number in range(5)]
    index, *parts = sitemaps(pages, ADDRESS)
    assert places(index.data) == [f"{URL}{part.name}" for part in parts]
    assert len(parts) == 3
    named = [place for part in parts for place in places(part.data)]
    assert named == [f"{URL}{folder}{page}" for page in pages for folder in ("", "zh/")]
    assert max(len(places(part.data)) for part in parts) == 4
