from __future__ import annotations

import hashlib
import io
import json
import re
import tarfile
from pathlib import Path

import pytest

from dataset.canonical import canonical_bytes
from publisher.exports.archive import ARCHIVE, Archive, ChangedWhileReadError, SnapshotFile
from publisher.exports.croissant import CROISSANT
from publisher.exports.tables.catalogue import TABLES
from publisher.mirror.given import Given
from publisher.mirror.mirror import verify_mirror
from publisher.verification.files import is_snapshot_file
from tests.factories import VARIANTS, make_batch, write_snapshot
from tests.unit.publisher.exports.exported import URL, site_of
from tests.unit.publisher.rendering.html_page import HtmlPage
from tests.unit.publisher.rendering.marked import MARKS, QUESTION_MARK


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def archive_of(site: dict[str, bytes]) -> tarfile.TarFile:
    return tarfile.open(fileobj=io.BytesIO(site[ARCHIVE]))


def test_the_archive_holds_the_snapshot_byte_for_byte_and_verifies(
    changed_site: dict[str, bytes], changed: Path, tmp_path: Path
) -> None:
    with archive_of(changed_site) as archive:
        archive.extractall(tmp_path, filter="data")
    unpacked = tmp_path / "glassbench-release-4/snapshot"
    files = {path.relative_to(changed).as_posix(): path for path in changed.rglob("*") if path.is_file()}
    assert {p.relative_to(unpacked).as_posix() for p in unpacked.rglob("*") if p.is_file()} == set(files)
    for name, path in files.items():
        assert (unpacked / name).read_bytes() == path.read_bytes()
    assert verify_mirror(unpacked, Given()).holds


def test_the_archive_holds_every_table_and_citation(changed_site: dict[str, bytes]) -> None:
    with archive_of(changed_site) as archive:
        names = archive.getnames()
        for table in TABLES:
            member = archive.extractfile(f"glassbench-release-4/data/{table.id}.csv")
            assert member is not None
            assert member.read() == changed_site[f"data/{table.id}.csv"]
    assert "glassbench-release-4/citations/release-4.bib" in names
    assert len(names) == len(set(names))


def test_every_member_has_the_same_owner_mode_and_time(changed_site: dict[str, bytes]) -> None:
    with archive_of(changed_site) as archive:
        members = archive.getmembers()
    assert {(m.uid, m.gid, m.uname, m.gname, m.mode) for m in members} == {(0, 0, "", "", 0o644)}
    assert len({m.mtime for m in members}) == 1
    assert all(m.isreg() for m in members)


def test_a_file_that_changes_while_it_is_packed_is_told() -> None:
    once = SnapshotFile(name="index.json", size=2, sha256=sha256(b"{}"), read=lambda: b"[]")
    archive = Archive(release=1, published_at="2026-01-01T00:00:00.000Z", snapshot=[once], data=[])
    with pytest.raises(ChangedWhileReadError, match=r"index\.json"):
        list(archive.chunks())


def test_checksums_name_every_file_of_the_data(changed_site: dict[str, bytes]) -> None:
    lines = [line.split("  ") for line in changed_site["SHA256SUMS"].decode().splitlines()]
    assert lines == [[sha256(changed_site[name]), name] for _, name in lines]
    named = {name for _, name in lines}
    assert named >= {name for name in changed_site if is_snapshot_file(name)}
    assert named >= {name for name in changed_site if name.startswith(("data/", "citations/"))}


def test_croissant_names_each_file_with_its_sha256_and_each_column_of_each_table(
    changed_site: dict[str, bytes],
) -> None:
    described = json.loads(changed_site[CROISSANT])
    assert described["conformsTo"] == "http://mlcommons.org/croissant/1.1"
    objects = {f["@id"]: f for f in described["distribution"] if f["@type"] == "cr:FileObject"}
    for name, found in objects.items():
        assert found["sha256"] == sha256(changed_site[name])
        assert found["contentUrl"] == URL + name
        assert found["contentSize"] == f"{len(changed_site[name])} B"
    assert set(objects) >= {"index.json", "reports/batch-1.json", ARCHIVE}
    for record_set, table in zip(described["recordSet"], TABLES, strict=True):
        assert [f["source"]["extract"]["column"] for f in record_set["field"]] == [c.name for c in table.columns]
        assert {f["source"]["fileObject"]["@id"] for f in record_set["field"]} <= set(objects)
        assert {key["@id"] for key in record_set["key"]} <= {f["@id"] for f in record_set["field"]}
    ids = re.findall(r'"@id": "([^"]+)",\n\s+"name"', changed_site[CROISSANT].decode())
    assert len(ids) == len(set(ids))


def test_the_run_files_of_croissant_stand_in_the_archive(changed_site: dict[str, bytes]) -> None:
    described = json.loads(changed_site[CROISSANT])
    (runs,) = [found for found in described["distribution"] if found["@type"] == "cr:FileSet"]
    assert runs["containedIn"] == {"@id": ARCHIVE}
    folder = runs["includes"].removesuffix("*.json")
    with archive_of(changed_site) as archive:
        packed = [name for name in archive.getnames() if name.startswith(folder)]
    assert len(packed) == sum(name.startswith("runs/") and name.endswith(".json") for name in changed_site)


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")  # of what the package itself uses
def test_croissant_holds_for_its_own_package(unlogged: Path, tmp_path: Path) -> None:
    mlcroissant = pytest.importorskip("mlcroissant", reason="mlcroissant isn't installed")
    for name, data in site_of(unlogged).items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(data)
    dataset = mlcroissant.Dataset(jsonld=str(tmp_path / CROISSANT))
    for table in TABLES:
        assert len(list(dataset.records(table.id))) == len(
            json.loads((tmp_path / f"data/{table.id}.json").read_bytes())
        )


def test_nothing_withheld_or_withdrawn_is_in_any_export(marked: Path) -> None:
    site = site_of(marked, URL)
    pages = {name for name in site if name.endswith((".html", ".js", ".css"))}
    made = {name: data for name, data in site.items() if name not in pages}
    assert len(made) > 20
    for name, data in made.items():
        hidden = [mark for mark in (QUESTION_MARK, *MARKS.values()) if mark.encode() in data]
        assert not hidden, name


def test_the_page_of_downloads_tells_of_every_table_and_of_the_address(
    changed_site: dict[str, bytes], unlogged_site: dict[str, bytes]
) -> None:
    for site, told in ((changed_site, URL), (unlogged_site, "without its address")):
        page = HtmlPage(site["downloads.html"].decode())
        assert told in page.text
        for table in TABLES:
            assert {f"data/{table.id}.{form}" for form in ("csv", "json", "parquet")} <= set(page.links)
            assert sha256(site[f"data/{table.id}.csv"]) in page.text
        assert sha256(site[ARCHIVE]) in page.text
    assert "sitemap.xml" not in HtmlPage(unlogged_site["downloads.html"].decode()).links


def test_the_page_shows_how_a_badge_is_embedded(changed_site: dict[str, bytes]) -> None:
    text = HtmlPage(changed_site["downloads.html"].decode()).text
    shown = re.search(f'<img src="{re.escape(URL)}([^"]+)" alt="Pass rate of careful">', text)
    assert shown is not None
    assert shown[1] in changed_site


def test_two_hundred_models_and_their_badges_fit_a_page(tmp_path: Path) -> None:
    keys = tuple(f"model-{number}" for number in range(200))
    batch = make_batch("batch-1", case_ids=("fund-nav",), model_keys=keys, variants=VARIANTS[:1])
    site = site_of(write_snapshot(tmp_path, [batch]), URL)
    assert len(site["downloads.html"]) < 300_000
    assert sum(name.startswith("badges/") for name in site) == 200


def test_the_data_set_in_the_page_is_valid_json_that_html_cannot_end(changed_site: dict[str, bytes]) -> None:
    markup = changed_site["downloads.html"].decode()
    (found,) = re.findall(r'<script type="application/ld\+json">(.*?)</script>', markup, re.S)
    assert not re.search("[<>&]", found)
    described = json.loads(found)
    assert described["@type"] == "Dataset"
    assert described["url"] == f"{URL}downloads.html"
    for file in described["distribution"]:
        assert file["sha256"] == sha256(changed_site[file["contentUrl"].removeprefix(URL)])


def test_the_address_stands_in_the_site_only_where_it_was_given(
    changed_site: dict[str, bytes], unlogged_site: dict[str, bytes]
) -> None:
    assert json.loads(changed_site["site.json"])["url"] == URL
    assert "site.json" not in unlogged_site


def test_an_empty_snapshot_exports_tables_without_rows(tmp_path: Path) -> None:
    (tmp_path / "reports").mkdir()
    (tmp_path / "runs").mkdir()
    (tmp_path / "index.json").write_bytes(
        b'{"releases":[],"reports":[],"schema":"glassbench.index/1","synthetic":false}'
    )
    site = site_of(tmp_path, URL)
    assert json.loads(site["data/runs.json"]) == []
    assert b"<feed" in site["feed.atom"]
    assert json.loads(site[CROISSANT])["recordSet"]


@pytest.mark.parametrize("time", ["2026-99-99T99:99:99.999Z", "0000-00-00T00:00:00.000Z", "9999-12-31T23:59:59.999Z"])
def test_a_time_that_never_was_stops_no_export(tmp_path: Path, time: str) -> None:
    write_snapshot(tmp_path, [make_batch("batch-1", case_ids=("fund-nav",), model_keys=("careful",))])
    index = json.loads((tmp_path / "index.json").read_bytes())
    index["releases"][0]["published_at"] = time
    (tmp_path / "index.json").write_bytes(canonical_bytes(index))
    site = site_of(tmp_path)
    with archive_of(site) as archive:
        assert archive.getmembers()
    assert f"year = {{{time[:4]}}}".encode() in site["citations/release-1.bib"]


def test_what_is_made_twice_is_the_same(changed: Path, changed_site: dict[str, bytes]) -> None:
    assert site_of(changed, URL) == changed_site
