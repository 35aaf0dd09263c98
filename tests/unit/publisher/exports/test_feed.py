from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

from publisher.exports.feed import feed
from tests.factories import make_batch, write_snapshot
from tests.factories.logged import OWNER
from tests.unit.publisher.exports.conftest import REASON
from tests.unit.publisher.exports.exported import URL, source_of

ATOM = "{http://www.w3.org/2005/Atom}"


def parsed(snapshot: Path, url: str | None = None) -> ElementTree.Element:
    (file,) = feed(source_of(snapshot, url))
    return ElementTree.fromstring(file.data)


def ids(root: ElementTree.Element) -> list[str | None]:
    return [found.text for found in root.iter(f"{ATOM}id")]


def test_every_release_is_an_entry_latest_first(changed: Path) -> None:
    root = parsed(changed, URL)
    titles = [entry.findtext(f"{ATOM}title") for entry in root.iter(f"{ATOM}entry")]
    assert titles == ["Release 4", "Release 3", "Release 2", "Release 1"]
    assert [(link.get("hreflang"), link.get("href")) for link in root.iter(f"{ATOM}link")][:5] == [
        ("en", f"{URL}releases.html"),
        ("zh-Hans", f"{URL}zh/releases.html"),
        (None, f"{URL}feed.atom"),
        ("en", f"{URL}releases.html#release-4"),
        ("zh-Hans", f"{URL}zh/releases.html#release-4"),
    ]


def test_what_the_format_asks_for_is_there(changed: Path, unlogged: Path) -> None:
    for root in (parsed(changed, URL), parsed(unlogged)):
        for found in (root, *root.iter(f"{ATOM}entry")):
            assert found.findtext(f"{ATOM}title")
            assert (found.findtext(f"{ATOM}updated") or "").endswith("Z")
            assert (found.findtext(f"{ATOM}id") or "").startswith("urn:uuid:")
            assert found.findtext(f"{ATOM}author/{ATOM}name")
        assert len(ids(root)) == len(set(ids(root)))


def test_a_withdrawal_is_told_with_its_reason_and_the_signer_is_the_author(changed: Path) -> None:
    entry = next(parsed(changed).iter(f"{ATOM}entry"))
    assert REASON in (entry.findtext(f"{ATOM}summary") or "")
    assert entry.findtext(f"{ATOM}author/{ATOM}name") == OWNER.name


def test_without_an_address_links_are_relative_and_the_ids_the_same(changed: Path) -> None:
    here, there = parsed(changed), parsed(changed, URL)
    assert {link.get("rel") for link in here.iter(f"{ATOM}link")} == {"alternate"}
    places = {str(link.get("href")).partition("#")[0] for link in here.iter(f"{ATOM}link")}
    assert places == {"releases.html", "zh/releases.html"}
    assert ids(here) == ids(there)


def test_ids_of_releases_stay_when_others_follow(tmp_path: Path) -> None:
    first, second = make_batch("batch-1"), make_batch("batch-2")
    before = ids(parsed(write_snapshot(tmp_path / "one", [first])))
    after = ids(parsed(write_snapshot(tmp_path / "two", [first, second])))
    assert set(before) < set(after)
