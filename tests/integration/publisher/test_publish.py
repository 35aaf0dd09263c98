from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from dataset.canonical import read_canonical
from publisher.gates.refusal import RefusalError
from publisher.intake.interface import StoredRun
from publisher.projection.errors import TargetError
from publisher.projection.exchange import exchange
from publisher.releases.errors import NothingToPublishError
from publisher.releases.outcome import Released
from publisher.releases.publish import publish
from publisher.releases.reveal import reveal
from publisher.releases.withdraw import withdraw
from publisher.scanning.finding import Finding
from publisher.verification.snapshot import verify
from tests.factories import SampleBatch, SampleSource, WordScanner, make_batch

BATCH = make_batch(model_keys=("careful",))
SECOND = make_batch("batch-2", model_keys=("careful",))
SCANNER = WordScanner()


def publish_batches(target: Path, *batches: SampleBatch) -> Released:
    return publish([SampleSource.of(batch) for batch in batches], target, SCANNER)


def state(directory: Path) -> dict[str, tuple[bytes, int, int]]:
    """Every file with its bytes, time of change and inode."""
    return {
        str(path.relative_to(directory)): (path.read_bytes(), path.stat().st_mtime_ns, path.stat().st_ino)
        for path in directory.rglob("*")
        if path.is_file()
    }


def codes(error: RefusalError) -> set[str]:
    return {fault.code for fault in error.refusal.faults}


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "showcase"


def test_a_first_release_appears_whole_and_verifies(target: Path) -> None:
    published = publish_batches(target, BATCH)
    assert (published.changed, published.runs, published.release.number) == (True, 6, 1)
    assert verify(target).holds
    assert [path.name for path in target.parent.iterdir()] == ["showcase"]
    assert (target / "reports" / "batch-1.json").is_file()
    assert (target / "runs" / "batch-1-0001.json").read_bytes() == BATCH.artifacts[next(iter(BATCH.artifacts))]


def test_runs_that_were_tried_again_are_published_with_those_that_supersede_them(target: Path) -> None:
    batch = make_batch(
        model_keys=("careful",),
        earlier=lambda planned: ("unstarted", "invalid") if planned.position == 1 else (),
    )
    published = publish_batches(target, batch)
    assert published.runs == 8
    assert verify(target).holds
    assert {path.stem for path in (target / "runs").iterdir()} == set(batch.artifacts)
    assert not publish_batches(target, batch).changed
    publish_batches(target, SECOND)
    assert verify(target).runs == 14


def test_a_published_batch_does_not_change_by_trying_its_runs_again(target: Path) -> None:
    first = make_batch(model_keys=("careful",), scenario=lambda planned: "invalid" if planned.position == 1 else "pass")
    again = make_batch(
        model_keys=("careful",),
        scenario=lambda planned: "pass",
        earlier=lambda planned: ("invalid",) if planned.position == 1 else (),
    )
    publish_batches(target, first)
    with pytest.raises(RefusalError) as caught:
        publish_batches(target, again)
    assert codes(caught.value) == {"GATE-CARRIED-002"}


def test_publishing_again_touches_no_byte_and_no_time(target: Path) -> None:
    first = publish_batches(target, BATCH)
    before = state(target)
    again = publish_batches(target, BATCH)
    assert not again.changed
    assert again.digest == first.digest
    assert state(target) == before


def test_a_release_carries_over_what_stands_byte_for_byte(target: Path) -> None:
    publish_batches(target, BATCH)
    before = state(target)
    published = publish_batches(target, SECOND)
    after = state(target)
    assert (published.release.number, published.batches, published.runs) == (2, 2, 12)
    assert verify(target).holds
    made_again = {"index.json", "log/checkpoint"}
    for name in before.keys() - made_again:
        assert after[name][:2] == before[name][:2]


def test_two_batches_in_one_release_and_one_that_stands_already(target: Path) -> None:
    publish_batches(target, BATCH)
    third = make_batch("batch-3", model_keys=("careful",))
    published = publish_batches(target, BATCH, SECOND, third)
    assert published.release.batches == ("batch-2", "batch-3")
    assert verify(target).holds


def test_the_same_batch_named_twice_is_published_once(target: Path) -> None:
    assert publish_batches(target, BATCH, BATCH).batches == 1


def test_no_batch_at_all_is_an_error(target: Path) -> None:
    with pytest.raises(NothingToPublishError):
        publish([], target, SCANNER)


def test_a_refusal_writes_nothing_but_the_list_of_all_faults(target: Path) -> None:
    bad = SampleSource.of(BATCH).with_row(0, data=b"{}").with_row(3, artifact_hash="0" * 64)
    with pytest.raises(RefusalError) as caught:
        publish([bad, SampleSource(batch_id=SECOND.batch_id, stored=None)], target, SCANNER)
    assert codes(caught.value) >= {"GATE-SEAL-001", "GATE-SEAL-002", "GATE-BATCH-001"}
    assert not target.exists()
    refusal = target.with_name("showcase.refusal.json")
    assert [path.name for path in target.parent.iterdir()] == [refusal.name]
    written = read_canonical(refusal.read_bytes())
    assert written["faults"] == [fault.as_json() for fault in caught.value.refusal.faults]


def test_a_refusal_says_where_its_list_stands_even_of_a_target_without_a_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    with pytest.raises(RefusalError) as caught:
        publish([SampleSource.of(BATCH).with_row(0, data=b"{}")], Path(), SCANNER)
    assert caught.value.file == tmp_path / "here.refusal.json"
    assert caught.value.file.is_file()


@pytest.mark.parametrize("place", ["reports/batch-1.json", "runs/batch-1-0001.json", "index.json"])
def test_what_the_target_holds_is_scanned_again_before_it_is_published_again(target: Path, place: str) -> None:
    publish_batches(target, BATCH)
    before = state(target)

    @dataclass(frozen=True, kw_only=True)
    class Newer(WordScanner):
        def scan_bytes(self, data: bytes, name: str) -> list[Finding]:
            return super().scan_bytes(b"plantedsecret" if name == place else data, name)

    for batch in (SECOND, BATCH):
        with pytest.raises(RefusalError) as caught:
            publish([SampleSource.of(batch)], target, Newer())
        assert ("GATE-SCAN-001", place) in {(fault.code, fault.place) for fault in caught.value.refusal.faults}
        assert state(target) == before


def test_a_secret_planted_in_what_the_target_holds_is_found_by_the_scan(target: Path) -> None:
    publish_batches(target, make_batch(model_keys=("careful",)))
    hidden = make_batch("batch-2", model_keys=("careful",), text="plantedsecret")
    publish([SampleSource.of(hidden)], target, WordScanner(word="another"))
    assert verify(target).holds
    third = make_batch("batch-3", model_keys=("careful",))
    with pytest.raises(RefusalError) as caught:
        publish_batches(target, third)
    held = {"reports/batch-2.json", *(f"runs/{run_id}.json" for run_id in hidden.artifacts)}
    faults = caught.value.refusal.faults
    assert {fault.code for fault in faults} == {"GATE-SCAN-001"}
    assert {fault.place.partition("#")[0] for fault in faults} == held
    assert not (target / "reports" / "batch-3.json").exists()


def test_the_next_success_removes_the_refusal(target: Path) -> None:
    with pytest.raises(RefusalError):
        publish([SampleSource.of(BATCH).with_row(0, data=b"{}")], target, SCANNER)
    publish_batches(target, BATCH)
    assert [path.name for path in target.parent.iterdir()] == ["showcase"]


def test_one_bad_batch_refuses_the_good_one_beside_it(target: Path) -> None:
    publish_batches(target, BATCH)
    before = state(target)
    third = SampleSource.of(make_batch("batch-3", model_keys=("careful",))).with_row(0, data=b"{}")
    with pytest.raises(RefusalError):
        publish([SampleSource.of(SECOND), third], target, SCANNER)
    assert state(target) == before


def test_a_published_batch_never_changes(target: Path) -> None:
    publish_batches(target, BATCH)
    before = state(target)
    other = make_batch(model_keys=("careful",), scenario=lambda planned: "pass")
    with pytest.raises(RefusalError) as caught:
        publish_batches(target, other)
    assert codes(caught.value) == {"GATE-CARRIED-002"}
    assert state(target) == before


def test_a_fault_in_what_the_target_holds_refuses_too(target: Path) -> None:
    publish_batches(target, BATCH)
    run = target / "runs" / "batch-1-0002.json"
    run.write_bytes(run.read_bytes().replace(b'"attempt":1', b'"attempt":2'))
    with pytest.raises(RefusalError) as caught:
        publish_batches(target, SECOND)
    assert codes(caught.value) == {"GATE-CARRIED-001"}
    assert not (target / "runs" / "batch-2-0001.json").exists()


def test_a_broken_index_in_the_target_is_refused_not_overwritten(target: Path) -> None:
    publish_batches(target, BATCH)
    (target / "index.json").write_text("{}")
    with pytest.raises(RefusalError) as caught:
        publish_batches(target, SECOND)
    assert codes(caught.value) == {"GATE-CARRIED-001"}
    assert (target / "index.json").read_text() == "{}"


def test_a_file_of_someone_else_in_the_snapshot_is_refused_and_kept(target: Path) -> None:
    publish_batches(target, BATCH)
    (target / "notes.txt").write_text("mine")
    with pytest.raises(RefusalError) as caught:
        publish_batches(target, SECOND)
    assert [fault.place for fault in caught.value.refusal.faults] == ["notes.txt"]
    assert (target / "notes.txt").read_text() == "mine"


def test_synthetic_runs_can_not_join_a_real_release(target: Path) -> None:
    publish_batches(target, BATCH)
    with pytest.raises(RefusalError) as caught:
        publish_batches(target, make_batch("batch-2", model_keys=("careful",), synthetic=True))
    assert codes(caught.value) == {"GATE-KIND-002"}


def test_synthetic_runs_have_a_release_of_their_own(target: Path) -> None:
    publish_batches(target, make_batch(model_keys=("careful",), synthetic=True))
    assert verify(target).synthetic


def test_a_secret_in_the_report_alone_is_refused(target: Path) -> None:
    batch = make_batch(model_keys=("careful",))
    variant = batch.variants[0].model_copy(update={"title": "plantedsecret"})
    hidden = make_batch(model_keys=("careful",), variants=(variant,))
    assert not any(b"plantedsecret" in data for data in hidden.artifacts.values())
    with pytest.raises(RefusalError) as caught:
        publish_batches(target, hidden)
    assert [(f.code, f.place) for f in caught.value.refusal.faults] == [("GATE-SCAN-001", "reports/batch-1.json")]


def test_the_refusal_names_secrets_by_their_mask_alone(target: Path) -> None:
    with pytest.raises(RefusalError):
        publish_batches(target, make_batch(model_keys=("careful",), text="plantedsecret"))
    assert b"plantedsecret" not in target.with_name("showcase.refusal.json").read_bytes()


def test_a_row_that_changes_between_gates_and_writing_is_refused(target: Path) -> None:
    @dataclass(frozen=True, kw_only=True)
    class Changing(SampleSource):
        reads: list[int] = field(default_factory=list)

        def runs(self) -> Iterator[StoredRun]:
            self.reads.append(1)
            return iter(self.rows if len(self.reads) == 1 else [*self.rows[:-1], self.rows[0]])

    good = SampleSource.of(BATCH)
    changing = Changing(batch_id=good.batch_id, stored=good.stored, rows=good.rows)
    with pytest.raises(RefusalError) as caught:
        publish([changing], target, SCANNER)
    assert codes(caught.value) == {"GATE-SEAL-004"}
    assert not target.exists()


@pytest.mark.parametrize("kind", ["file", "other directory", "link", "link to nothing"])
def test_a_target_that_holds_something_else_is_refused_and_kept(target: Path, kind: str) -> None:
    elsewhere = target.with_name("elsewhere")
    if kind == "file":
        target.write_text("mine")
    elif kind == "other directory":
        target.mkdir()
        (target / "thesis.txt").write_text("mine")
    else:
        if kind == "link":
            elsewhere.mkdir()
        target.symlink_to(elsewhere)
    before = sorted(path.name for path in target.parent.rglob("*"))
    with pytest.raises(TargetError) as caught:
        publish_batches(target, BATCH)
    assert str(target) in caught.value.message
    assert sorted(path.name for path in target.parent.rglob("*")) == before


def test_a_target_whose_folder_is_missing_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(TargetError) as caught:
        publish_batches(tmp_path / "no" / "showcase", BATCH)
    assert caught.value.code == "PUBLISH-TARGET-003"


@pytest.mark.parametrize("name", ["p\udcff", "p\x1b[31mx", "a\u202eb", "a\nb", "\u200b"])
def test_a_name_that_can_not_be_shown_or_registered_is_refused_before_anything(tmp_path: Path, name: str) -> None:
    for act in (
        lambda: publish_batches(tmp_path / name, BATCH),
        lambda: withdraw(["batch-1"], "The fixture had the wrong day.", tmp_path / name, WordScanner()),
        lambda: reveal(SampleSource.of(BATCH), tmp_path / name, WordScanner()),
    ):
        with pytest.raises(TargetError) as caught:
            act()
        assert caught.value.code == "PUBLISH-TARGET-006"
        assert caught.value.message.isprintable()
    assert list(tmp_path.iterdir()) == []


def test_an_empty_directory_is_a_target(target: Path) -> None:
    target.mkdir(mode=0o750)
    publish_batches(target, BATCH)
    assert verify(target).holds
    assert target.stat().st_mode & 0o777 == 0o750


def test_a_relative_target_is_taken_from_the_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    publish_batches(Path("showcase"), BATCH)
    assert verify(tmp_path / "showcase").holds


def test_the_files_are_readable_as_the_umask_says(target: Path) -> None:
    old = os.umask(0o022)
    try:
        publish_batches(target, BATCH)
    finally:
        os.umask(old)
    assert target.stat().st_mode & 0o777 == 0o755
    assert (target / "index.json").stat().st_mode & 0o777 == 0o644


def test_hostile_text_in_every_place_is_published_as_it_is(target: Path) -> None:
    batch = make_batch(
        text='<script>alert("\u202e\\")</script> {{7*7}} \u0000\ud83d\ude00'.encode("utf-16", "surrogatepass").decode(
            "utf-16"
        )
    )
    publish_batches(target, batch)
    assert verify(target).holds
    assert json.loads((target / "reports" / "batch-1.json").read_bytes())["cases"][0]["question"]["text"]["en"]


def test_a_reader_finds_a_whole_index_at_every_moment(target: Path) -> None:
    left, right = target.with_name("left"), target.with_name("right")
    left.mkdir()
    right.mkdir()
    if not exchange(left, right):
        pytest.skip("this file system can't exchange two directories")
    publish_batches(target, BATCH)
    ended = threading.Event()
    faults: list[str] = []

    def read() -> None:
        while not ended.is_set():
            try:
                batches = len(json.loads((target / "index.json").read_bytes())["reports"])
                (target / "runs" / f"batch-{batches}-0001.json").read_bytes()
            except (OSError, ValueError) as error:
                faults.append(str(error))

    reader = threading.Thread(target=read)
    reader.start()
    for number in range(2, 8):
        publish_batches(target, make_batch(f"batch-{number}", case_ids=("fund-nav",), model_keys=("careful",)))
    ended.set()
    reader.join()
    assert faults == []
