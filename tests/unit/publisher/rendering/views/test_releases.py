"""Every page says how the snapshot stands in its release log; one page tells of every release."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from publisher.release_log.errors import MalformedError
from publisher.release_log.proof import read_inclusion
from publisher.rendering.errors import SnapshotError
from publisher.rendering.site.build import build_site
from publisher.rendering.snapshot.log import log_view
from publisher.rendering.snapshot.snapshot import Snapshot
from tests.factories import SampleBatch, make_batch
from tests.factories.release_logs import OTHER_SIGNER, SIGNER
from tests.factories.released import Change, write_released
from tests.unit.publisher.rendering.html_page import HtmlPage, read_pages

CHANGE = Change(
    withdrawn={"batch-1-0002": "Its fixture was wrong."}, revealed={("batch-2", "fund-nav"): ("steps", "result")}
)
OF_A_BATCH = re.compile(r"(?:runs|batches|compare|beside)/batch-(\d)")
BANNERS = ("carries no signature", "日志没有签名")


def words(page: HtmlPage) -> str:
    return " ".join(page.text.split())


def batches() -> list[SampleBatch]:
    return [
        make_batch("batch-1", model_keys=("careful",)),
        make_batch("batch-2", model_keys=("careful",), withheld=("steps",)),
    ]


@pytest.fixture(scope="module")
def signed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three releases: two by one key, the last by another, which withdraws and reveals."""
    folder = tmp_path_factory.mktemp("signed")
    write_released(folder / "snapshot", batches(), CHANGE, signers=[SIGNER, SIGNER, OTHER_SIGNER])
    build_site(folder / "snapshot", folder / "site")
    return folder


@pytest.fixture(scope="module")
def unsigned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("unsigned")
    write_released(folder / "snapshot", batches(), CHANGE, signers=[SIGNER, SIGNER, None])
    build_site(folder / "snapshot", folder / "site")
    return folder


def test_every_page_names_its_release_and_who_signed_it(signed: Path) -> None:
    for name, page in read_pages(signed / "site").items():
        # What a release brought names that release: it stays as it is when others follow.
        brought = OF_A_BATCH.search(name)
        number = int(brought[1]) if brought else 3
        size = {1: 8, 2: 16, 3: 22}[number]
        key = (OTHER_SIGNER if number == 3 else SIGNER).verifier
        told = {
            "en": f"Release {number} · log of {size} entries · signed by {key.name} ({key.key_id})",
            "zh": f"第 {number} 次发布 · 日志共 {size} 条 · 签名：{key.name}（{key.key_id}）",
        }
        assert told["zh" if name.startswith("zh/") else "en"] in words(page), name
        assert not any(banner in page.text for banner in BANNERS), name


def test_every_page_says_that_the_latest_release_is_unsigned(unsigned: Path) -> None:
    for name, page in read_pages(unsigned / "site").items():
        if not OF_A_BATCH.search(name):
            assert re.search(r"Release 3 · log of \d+ entries · not signed|日志共 \d+ 条 · 未签名", words(page)), name
        assert any(f"{said}" in page.text for said in BANNERS), name


def test_every_page_of_a_snapshot_without_a_log_says_so(site: Path) -> None:
    for name, page in read_pages(site).items():
        assert "no release log" in page.text or "没有发布日志" in page.text, name
        assert not any(banner in page.text for banner in BANNERS), name


def test_the_files_of_the_log_stand_in_the_site_byte_for_byte(signed: Path) -> None:
    logs = [
        {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        for folder in (signed / "snapshot/log", signed / "site/log")
    ]
    assert logs[0] == logs[1]
    assert {"checkpoint", "key", "checkpoints/3", "consistency/2", "inclusion/batch-1-0001"} <= set(logs[0])


def test_the_page_of_releases_tells_what_each_did_and_fixed(signed: Path) -> None:
    page = HtmlPage.read(signed / "site/releases.html")
    view = Snapshot(signed / "snapshot").log
    assert view is not None
    for logged in view.releases:
        own = HtmlPage.read(signed / f"site/releases/{logged.number}.html")
        for said in (logged.root_base64, logged.root_hex, f"Log entries after it {logged.size}"):
            assert said in own.cells
        assert f"../log/checkpoints/{logged.number}" in own.links
        assert (f"../log/consistency/{logged.number}" in own.links) is (logged.number < 3)
        assert f"releases/{logged.number}.html" in page.links
    assert {"log/checkpoint", "log/key"} <= set(page.links)
    assert "1 of 6 runs. Its fixture was wrong." in words(page)
    assert "Revealed of case fund-nav in batch batch-2 : steps, result" in page.cells
    assert {"release-1", "release-2", "release-3"} <= set(page.ids)
    assert words(page).count(f"signed by {SIGNER.name}") == 2
    assert "glassbench verify showcase-data --expected-checkpoint FILE" in page.text


@pytest.mark.parametrize("run_id", ["batch-1-0001", "batch-1-0002", "batch-2-0001"])
def test_a_run_leads_to_its_inclusion_proof(signed: Path, run_id: str) -> None:
    page = HtmlPage.read(signed / f"site/runs/{run_id}.html")
    assert f"../log/inclusion/{run_id}" in page.links
    index = read_inclusion((signed / f"site/log/inclusion/{run_id}").read_bytes()).index
    assert f"entry {index}, release {run_id[6]}" in words(page)


def test_a_run_of_a_snapshot_without_a_log_leads_to_no_proof(site: Path) -> None:
    assert not [link for link in HtmlPage.read(site / "runs/batch-1-0001.html").links if "inclusion" in link]


@pytest.mark.parametrize(
    "name", ["log/checkpoint", "log/checkpoints/2", "log/inclusion/batch-1-0003", "log/consistency/1", "log/key"]
)
def test_a_log_whose_files_dont_hold_is_refused(tmp_path: Path, name: str) -> None:
    snapshot = write_released(tmp_path / "snapshot", batches(), CHANGE, signers=[SIGNER, SIGNER, SIGNER])
    file = snapshot / name
    data = bytearray(file.read_bytes())
    data[-8] ^= 1
    file.write_bytes(data)
    with pytest.raises(SnapshotError):
        build_site(snapshot, tmp_path / "site")
    assert not (tmp_path / "site").exists()


def test_a_log_of_other_runs_is_refused(tmp_path: Path) -> None:
    snapshot = write_released(tmp_path / "snapshot", batches(), CHANGE, signers=[SIGNER] * 3)
    others = [make_batch("batch-1", model_keys=("careful",), text="other"), batches()[1]]
    other = write_released(tmp_path / "other", others, CHANGE, signers=[SIGNER] * 3)
    (snapshot / "log").rename(tmp_path / "aside")
    (other / "log").rename(snapshot / "log")
    with pytest.raises(SnapshotError, match="doesn't stand in it with the hash of its report"):
        build_site(snapshot, tmp_path / "site")


def test_a_log_that_the_index_names_and_nobody_finds_is_refused(tmp_path: Path) -> None:
    snapshot = write_released(tmp_path / "snapshot", batches(), CHANGE, signers=[SIGNER] * 3)
    (snapshot / "log").rename(tmp_path / "aside")
    with pytest.raises(SnapshotError, match="the index names a log"):
        build_site(snapshot, tmp_path / "site")


def test_a_signature_by_a_key_that_the_log_doesnt_name_is_no_signature(signed: Path) -> None:
    view = Snapshot(signed / "snapshot").log
    assert view is not None
    with pytest.raises(MalformedError, match="signed by no key that the log names"):
        log_view(replace(view.log, keys=(SIGNER.verifier,)))


def test_every_release_says_what_it_withdrew_withheld_and_revealed_even_if_nothing(signed: Path) -> None:
    pages = read_pages(signed / "site")
    digest_only = "Of prompt files, the system prompt among them, only the digest is published."
    first, last = words(pages["releases/1.html"]), words(pages["releases/3.html"])
    assert f"Withdrawn: none · Withheld: none · Revealed: none · {digest_only}" in first
    assert "Withdrawn: one run · Withheld: none · Revealed: parts of one case" in last
    assert re.search(
        r"Withdrawn: none · Withheld: \d+ sections of \d+ runs, published", words(pages["releases/2.html"])
    )
    assert words(pages["releases.html"]).count("Withdrawn:") == 3
