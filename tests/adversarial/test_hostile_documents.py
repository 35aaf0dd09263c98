"""What is spoiled is refused by `publish` and found by `verify`, by name; nothing is raised or left behind."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import pytest

from dataset.artifacts.artifact import Artifact
from dataset.artifacts.digest import open_artifact, seal_sections
from dataset.canonical import canonical_bytes, read_canonical
from dataset.record import RunId
from publisher.gates.refusal import RefusalError
from publisher.releases.publish import publish
from publisher.rendering.errors import SnapshotError
from publisher.rendering.site.build import build_site
from publisher.verification.snapshot import verify
from tests.adversarial.hostile_documents import SPOILS, UNSAFE_NAMES, Spoil
from tests.factories import SampleSource, WordScanner, make_batch, write_snapshot
from tests.factories.forgery import put_report

BATCH = make_batch(case_ids=("fund-nav", "order-history"), model_keys=("careful",))
RUN = RunId("batch-1-0001")
SOURCE = SampleSource.of(BATCH)
FILES = ("index.json", "reports/batch-1.json", f"runs/{RUN}.json")

spoiled = pytest.mark.parametrize("spoil", SPOILS.values(), ids=SPOILS.keys())
A_SHARE = 5
"""Of the spoiled files whose proof is long, every fifth is always tried."""
spoiled_slowly = pytest.mark.parametrize(
    "spoil",
    [
        pytest.param(spoil, id=name, marks=() if at % A_SHARE == 0 else pytest.mark.slow)
        for at, (name, spoil) in enumerate(SPOILS.items())
    ],
)


def renamed(data: bytes, run_id: str) -> bytes:
    """The artifact sealed anew under another id."""
    document = read_canonical(data)
    names = document["digests"]
    sections = {name: canonical_bytes(document[name]) for name in names}
    return seal_sections(RunId(run_id), sections, document["salts"])[0]


@pytest.fixture
def snapshot(tmp_path: Path) -> Path:
    return write_snapshot(tmp_path / "showcase", [BATCH])


@spoiled
def test_publishing_a_spoiled_artifact_is_refused_with_the_run_named(spoil: Spoil, tmp_path: Path) -> None:
    source = SOURCE.with_row(0, data=spoil(SOURCE.rows[0].data))
    with pytest.raises(RefusalError) as caught:
        publish([source], tmp_path / "showcase", WordScanner())
    assert {fault.run_id for fault in caught.value.refusal.faults} >= {RUN}
    assert [path.name for path in tmp_path.iterdir()] == ["showcase.refusal.json"]
    assert read_canonical((tmp_path / "showcase.refusal.json").read_bytes())["faults"]


@spoiled
@pytest.mark.parametrize("file", FILES)
def test_a_spoiled_file_of_a_snapshot_is_found_by_name(spoil: Spoil, file: str, snapshot: Path) -> None:
    data = (snapshot / file).read_bytes()
    (snapshot / file).write_bytes(spoil(data))
    found = verify(snapshot)
    assert any(difference.place.startswith(file) for difference in found.differences)
    assert all(str(difference).isprintable() for difference in found.differences)


@spoiled_slowly
def test_nothing_joins_a_snapshot_with_a_spoiled_file(spoil: Spoil, snapshot: Path) -> None:
    for file in FILES:
        data = (snapshot / file).read_bytes()
        (snapshot / file).write_bytes(spoil(data))
        before = {path: path.read_bytes() for path in snapshot.rglob("*.json")}
        with pytest.raises(RefusalError) as caught:
            publish(
                [SampleSource.of(make_batch("batch-2", case_ids=("fund-nav",), model_keys=("careful",)))],
                snapshot,
                WordScanner(),
            )
        assert "GATE-CARRIED-001" in {fault.code for fault in caught.value.refusal.faults}
        assert {path: path.read_bytes() for path in snapshot.rglob("*.json")} == before
        (snapshot / file).write_bytes(data)


@spoiled_slowly
def test_no_site_is_built_from_a_spoiled_file(spoil: Spoil, snapshot: Path, tmp_path: Path) -> None:
    for file in FILES:
        data = (snapshot / file).read_bytes()
        (snapshot / file).write_bytes(spoil(data))
        with pytest.raises(SnapshotError, match=file):
            build_site(snapshot, tmp_path / "site")
        assert not (tmp_path / "site").exists()
        (snapshot / file).write_bytes(data)


NO_BASE64 = ("\u00e9", "no base64", "/w", "/x==", "_w==", "/w==\n", "cGxhaW4=", "")


def mislabelled(data: bytes, kept: str) -> tuple[bytes, str]:
    """The artifact sealed anew with the arguments of its first call said to be base64; and its hash."""
    document = read_canonical(data)
    call = next(step for step in document["steps"] if step["kind"] == "tool")
    call["arguments_raw"] = {"data": kept, "encoding": "base64"}
    sections = {name: canonical_bytes(document[name]) for name in document["digests"]}
    return seal_sections(RUN, sections, document["salts"])


@pytest.mark.parametrize("kept", NO_BASE64, ids=ascii)
def test_what_says_that_it_is_base64_and_is_not_is_refused_by_place(kept: str, snapshot: Path, tmp_path: Path) -> None:
    data, artifact_hash = mislabelled(SOURCE.rows[0].data, kept)
    (snapshot / f"runs/{RUN}.json").write_bytes(data)
    report = read_canonical((snapshot / "reports/batch-1.json").read_bytes())
    next(run for run in report["runs"] if run["run_id"] == RUN)["artifact_hash"] = artifact_hash
    put_report(snapshot, "batch-1", report)
    told = [str(difference) for difference in verify(snapshot).differences]
    assert any(f"runs/{RUN}.json" in line and "arguments_raw" in line for line in told), told
    with pytest.raises(SnapshotError) as caught:
        build_site(snapshot, tmp_path / "site")
    assert f"runs/{RUN}.json" in caught.value.message
    assert "arguments_raw" in caught.value.message
    with pytest.raises(RefusalError) as refused:
        publish([SOURCE.with_row(0, data=data)], tmp_path / "other", WordScanner())
    assert {fault.run_id for fault in refused.value.refusal.faults} >= {RUN}


@pytest.mark.parametrize("name", UNSAFE_NAMES, ids=ascii)
def test_an_artifact_under_an_unsafe_id_is_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    data = renamed(SOURCE.rows[0].data, name)
    for row in ({"data": data}, {"data": data, "run_id": name}):
        with pytest.raises(RefusalError):
            publish([SOURCE.with_row(0, **row)], tmp_path / "inner" / "showcase", WordScanner())
        assert [path.name for path in (tmp_path / "inner").iterdir()] == ["showcase.refusal.json"]
    assert [path.name for path in tmp_path.iterdir()] == ["inner"]


@pytest.mark.parametrize("name", UNSAFE_NAMES, ids=ascii)
@pytest.mark.parametrize("place", ["report", "index"])
def test_an_unsafe_id_in_a_report_or_index_is_found(name: str, place: str, snapshot: Path) -> None:
    def rewrite(file: str, change: Callable[[dict[str, object]], None]) -> None:
        document = read_canonical((snapshot / file).read_bytes())
        change(document)
        (snapshot / file).write_bytes(canonical_bytes(document))

    if place == "report":
        rewrite(FILES[1], lambda report: report["runs"][0].update(run_id=name))  # type: ignore[index]
    else:
        rewrite(FILES[0], lambda index: index["reports"][0].update(batch_id=name))  # type: ignore[index]
    assert not verify(snapshot).holds


def with_question(artifact: Artifact, text: str) -> bytes:
    """The artifact sealed anew over another question."""
    document = read_canonical(canonical_bytes(artifact.body()))
    document["case"]["question"] = text
    sections = {name: canonical_bytes(document[name]) for name in document["digests"]}
    return seal_sections(artifact.run_id, sections, document["salts"])[0]


def test_composed_and_decomposed_letters_stay_two_texts_with_two_hashes() -> None:
    artifact = open_artifact(SOURCE.rows[0].data)
    composed, decomposed = (unicodedata.normalize(form, "Café über 가") for form in ("NFC", "NFD"))
    one, other = (open_artifact(with_question(artifact, text)) for text in (composed, decomposed))
    assert (one.case.question, other.case.question) == (composed, decomposed)
    assert one.digests["case"] != other.digests["case"]
    assert one.artifact_hash != other.artifact_hash


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_a_text_in_another_normal_form_is_not_the_question_that_was_asked(
    form: Literal["NFC", "NFD"], tmp_path: Path
) -> None:
    batch = make_batch(case_ids=("fund-nav",), model_keys=("careful",), text=unicodedata.normalize("NFC", "é가"))
    source = SampleSource.of(batch)
    artifact = open_artifact(source.rows[0].data)
    data = with_question(artifact, unicodedata.normalize(form, artifact.case.question))
    published = source.with_row(0, data=data, artifact_hash=open_artifact(data).artifact_hash)
    if form == "NFC":
        assert publish([published], tmp_path / "showcase", WordScanner()).changed
        return
    with pytest.raises(RefusalError) as caught:
        publish([published], tmp_path / "showcase", WordScanner())
    assert any(fault.place == "/case/question" for fault in caught.value.refusal.faults)
