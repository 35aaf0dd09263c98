"""What a site offers to take along is held to its snapshot like every page."""

from __future__ import annotations

from pathlib import Path

import pytest

from publisher.exports.address import site_address
from publisher.exports.archive import ARCHIVE
from publisher.rendering.site.build import build_site
from tests.unit.publisher.mirror.mirrors import messages, places, verified


@pytest.fixture
def addressed(snapshot: Path, tmp_path: Path) -> Path:
    """The site, built for an address."""
    build_site(snapshot, tmp_path / "addressed", site_address("https://example.org/bench/"))
    return tmp_path / "addressed"


def test_a_site_that_knows_its_address_verifies_wherever_it_stands(addressed: Path) -> None:
    found = verified(addressed)
    assert found.holds
    assert found.pages is not None
    assert found.pages.hold


def test_another_address_than_the_files_were_made_for_is_told(addressed: Path) -> None:
    (addressed / "site.json").write_bytes(site_address("https://example.com/").canonical)
    assert {"feed.atom", "sitemap.xml", "downloads.html"} <= set(places(verified(addressed)))


def test_an_address_that_went_missing_leaves_files_too_many(addressed: Path) -> None:
    (addressed / "site.json").unlink()
    found = verified(addressed)
    assert {"feed.atom", "sitemap.xml"} <= set(places(found))
    assert "sitemap.xml: neither a page of this snapshot nor part of one" in messages(found)


@pytest.mark.parametrize("data", [b"", b"{}", b'{"schema":"glassbench.site-address/1","url":"javascript:x"}', b"\xff"])
def test_a_damaged_address_is_told_once_and_stops_nothing(site: Path, data: bytes) -> None:
    (site / "site.json").write_bytes(data)
    found = verified(site)
    assert places(found) == ["site.json"]
    assert found.pages is not None
    assert not found.pages.hold


@pytest.mark.parametrize(
    "name", ["data/runs.csv", "data/leaderboard.json", "feed.atom", "SHA256SUMS", "croissant.json"]
)
def test_a_changed_file_to_take_along_is_named(site: Path, name: str) -> None:
    (site / name).write_bytes((site / name).read_bytes() + b" ")
    assert places(verified(site)) == [name]


def test_a_byte_changed_in_the_archive_is_told_by_its_sha256(site: Path) -> None:
    data = bytearray((site / ARCHIVE).read_bytes())
    data[len(data) // 2] ^= 1
    (site / ARCHIVE).write_bytes(data)
    (difference,) = verified(site).differences
    assert difference.place == ARCHIVE
    assert len(difference.expected) == len(difference.observed) == 64
    assert difference.expected != difference.observed


def test_a_missing_archive_is_named(site: Path) -> None:
    (site / ARCHIVE).unlink()
    found = verified(site)
    assert places(found) == [ARCHIVE]
    assert "missing" in messages(found)
