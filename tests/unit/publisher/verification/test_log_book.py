"""A snapshot against its release log: what was fixed when a release was made still stands."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from dataset.artifacts.digest import open_artifact
from dataset.canonical import sha256_hex
from publisher.release_log.entry import ReportEntry, RevealEntry, WithdrawalEntry
from publisher.release_log.log import ReleaseLog
from publisher.release_log.note import VerifierKey
from publisher.verification.difference import Verification
from publisher.verification.files import Files
from publisher.verification.log_book import LogBook
from publisher.verification.snapshot import SnapshotCheck, verify
from tests.factories import VARIANTS, make_batch, reseal
from tests.factories.forgery import forge_index, forge_runs
from tests.factories.logged import OWNER, STRANGER, extend_log, write_log, write_logged_snapshot

SMALL: dict[str, Any] = {
    "case_ids": ("fund-nav", "order-history"),
    "model_keys": ("careful",),
    "variants": VARIANTS[:1],
}
FIRST = make_batch("batch-1", **SMALL)
SECOND = make_batch("batch-2", **SMALL)
RUN = "batch-1-0001"
REVISED = ReportEntry(batch_id="batch-1", sha256=sha256_hex(b"the report that tells it too"))


@pytest.fixture
def snapshot(tmp_path: Path) -> Path:
    write_logged_snapshot(tmp_path / "snapshot", [FIRST, SECOND], signer=OWNER)
    return tmp_path / "snapshot"


def places(verification: Verification) -> list[str]:
    return [difference.place for difference in verification.differences]


def held_to(snapshot: Path, *keys: VerifierKey, expected: bytes | None = None) -> Verification:
    return SnapshotCheck(Files(snapshot), keys=keys, expected_checkpoint=expected).run().verification


def log_names(snapshot: Path) -> list[str]:
    return sorted(str(path.relative_to(snapshot)) for path in snapshot.glob("log/**/*") if path.is_file())


def other_run() -> bytes:
    """The first run under another salt: every number is the same, and every digest another."""
    artifact = open_artifact(FIRST.artifacts[next(iter(FIRST.artifacts))])
    return reseal(artifact.model_copy(update={"salts": dict.fromkeys(artifact.salts, "0" * 31 + "1")}))


def test_a_sound_log_holds_and_says_what_it_is(snapshot: Path) -> None:
    verification = held_to(snapshot, OWNER.verifier)
    assert verification.differences == ()
    assert verification.log is not None
    assert (verification.log.origin, verification.log.size, verification.log.signed) == (OWNER.name, 8, (1, 2))
    assert verification.log.root == (snapshot / "log" / "checkpoint").read_text().splitlines()[2]
    assert verification.files == 1 + 2 + 4 + len(log_names(snapshot))


def test_an_unsigned_log_holds_and_says_so(tmp_path: Path) -> None:
    write_logged_snapshot(tmp_path / "s", [FIRST, SECOND])
    verification = verify(tmp_path / "s")
    assert verification.differences == ()
    assert verification.log is not None
    assert (verification.log.signed, verification.log.unsigned) == ((), (1, 2))


@pytest.mark.parametrize("damage", ["missing", "emptied", "cut", "extended", "flipped"])
def test_damage_to_any_file_of_the_log_is_found_and_named(snapshot: Path, damage: str) -> None:
    for name in log_names(snapshot):
        file = snapshot / name
        good = file.read_bytes()
        bad = {"emptied": b"", "cut": good[:-1], "extended": good + b"\n", "flipped": bytes([good[0] ^ 1]) + good[1:]}
        file.unlink()
        if damage != "missing":
            file.write_bytes(bad[damage])
        found = verify(snapshot)
        latest = name in ("log/checkpoint", "log/tile/entries/000.p/8")  # without these nothing of the log can be read
        assert any(place == name or (latest and place.startswith(("log/", "index.json"))) for place in places(found)), (
            name
        )
        file.write_bytes(good)
    assert verify(snapshot).holds


@pytest.mark.parametrize(
    "names",
    [
        ("log/checkpoints/1", "log/checkpoints/2"),
        ("log/inclusion/batch-1-0001", "log/inclusion/batch-1-0002"),
        ("log/inclusion/batch-1-0001", "log/inclusion/batch-2-0001"),
        ("log/tile/0/000.p/4", "log/tile/0/000.p/8"),
        ("log/tile/entries/000.p/4", "log/tile/entries/000.p/8"),
        ("log/checkpoint", "log/checkpoints/1"),
    ],
)
def test_files_of_the_log_that_changed_places_are_found(snapshot: Path, names: tuple[str, str]) -> None:
    one, other = (snapshot / name for name in names)
    kept = one.read_bytes()
    one.write_bytes(other.read_bytes())
    other.write_bytes(kept)
    assert any(place in names for place in places(verify(snapshot)))


def test_a_file_too_many_in_the_log_is_found(snapshot: Path) -> None:
    (snapshot / "log" / "tile" / "9").mkdir()
    (snapshot / "log" / "tile" / "9" / "000").write_bytes(b"")
    assert places(verify(snapshot)) == ["log/tile/9/000"]


def test_a_link_in_the_log_is_refused_even_to_the_right_bytes(snapshot: Path, tmp_path: Path) -> None:
    (snapshot / "log" / "key").rename(tmp_path / "key")
    (snapshot / "log" / "key").symlink_to(tmp_path / "key")
    assert "log/key" in places(verify(snapshot))


def test_a_log_without_an_index_that_names_it_is_found(snapshot: Path) -> None:
    forge_index(snapshot, lambda index: index.pop("log"))
    assert "index.json#/log" in places(verify(snapshot))


def test_a_log_that_is_gone_though_the_index_names_it_is_found(snapshot: Path) -> None:
    shutil.rmtree(snapshot / "log")
    assert places(verify(snapshot)) == ["index.json#/log"]


def test_files_of_a_log_without_a_checkpoint_and_a_name_are_told_in_one_line(snapshot: Path) -> None:
    forge_index(snapshot, lambda index: index.pop("log"))
    (snapshot / "log" / "checkpoint").unlink()
    left = len(log_names(snapshot))
    (found,) = [found for found in verify(snapshot).differences if found.place.startswith("log/")]
    assert found.place == "log/checkpoint"
    assert found.message == f"missing: {left} files of a release log stand without it"


def test_a_log_dropped_together_with_its_name_is_seen_only_by_who_knows_of_it(snapshot: Path) -> None:
    kept = (snapshot / "log" / "checkpoint").read_bytes()
    shutil.rmtree(snapshot / "log")
    forge_index(snapshot, lambda index: index.pop("log"))
    assert verify(snapshot).holds
    assert not held_to(snapshot, OWNER.verifier).holds
    assert not held_to(snapshot, expected=kept).holds


def test_a_run_made_again_under_a_new_report_and_index_is_contradicted_by_the_log(snapshot: Path) -> None:
    forge_runs(snapshot, FIRST, {RUN: other_run()})
    found = places(verify(snapshot))
    assert f"runs/{RUN}.json#/artifact_hash" in found
    assert "reports/batch-1.json" in found
    assert "index.json" in found


def test_a_batch_that_vanished_from_the_index_is_named_with_each_of_its_runs(snapshot: Path) -> None:
    (snapshot / "reports" / "batch-2.json").unlink()
    for run_id in SECOND.artifacts:
        (snapshot / "runs" / f"{run_id}.json").unlink()
    forge_index(snapshot, lambda index: (index["reports"].pop(), index["releases"].pop()))
    found = places(verify(snapshot))
    assert {"reports/batch-2.json", "runs/batch-2-0001.json", "runs/batch-2-0002.json"} <= set(found)


def test_a_run_that_vanished_from_its_report_is_named(snapshot: Path) -> None:
    fewer = make_batch("batch-1", **{**SMALL, "case_ids": ("fund-nav",)})
    (snapshot / "runs" / "batch-1-0002.json").unlink()
    forge_runs(snapshot, fewer, fewer.artifacts)
    forge_index(snapshot, lambda index: index["reports"][0].update(runs=1))
    vanished = [d for d in verify(snapshot).differences if d.place == "runs/batch-1-0002.json"]
    assert any("vanished" in difference.message for difference in vanished)


def test_a_batch_that_the_log_does_not_know_is_found(snapshot: Path) -> None:
    log = write_logged_snapshot(snapshot.parent / "other", [FIRST], signer=OWNER)
    write_log(snapshot, log)
    assert "reports/batch-2.json" in places(verify(snapshot))


def test_a_superseded_run_has_its_entry_too(tmp_path: Path) -> None:
    again = make_batch("batch-1", **SMALL, earlier=lambda planned: ("invalid",) if planned.position == 1 else ())
    log = write_logged_snapshot(tmp_path / "s", [again])
    assert verify(tmp_path / "s").differences == ()
    assert [entry.run_id for entry in LogBook(log).runs("batch-1")] == [
        "batch-1-0001-r2",
        "batch-1-0002",
        "batch-1-0001",
    ]
    write_log(tmp_path / "s", write_logged_snapshot(tmp_path / "other", [FIRST]))
    found = {d.place: d.message for d in verify(tmp_path / "s").differences}
    assert found["runs/batch-1-0001-r2.json"] == "has no entry in the release log"


def test_the_log_of_another_snapshot_is_found(snapshot: Path) -> None:
    other = write_logged_snapshot(snapshot.parent / "other", [SECOND, FIRST], signer=OWNER)
    write_log(snapshot, other)
    found = places(verify(snapshot))
    assert "reports/batch-1.json" in found
    assert "index.json" in found


def test_an_index_changed_since_its_release_is_found(snapshot: Path) -> None:
    forge_index(snapshot, lambda index: index["releases"][0].update(revised=["batch-2"]))
    assert "index.json" in places(verify(snapshot))


def logged(snapshot: Path) -> ReleaseLog:
    return write_logged_snapshot(snapshot, [FIRST, SECOND], signer=OWNER)


def new_release(index: dict[str, Any]) -> None:
    published_at = index["releases"][-1]["published_at"]
    index["releases"].append({"number": 3, "published_at": published_at, "batches": [], "revised": ["batch-1"]})


def test_a_withdrawal_that_only_the_log_tells_of_names_the_run(snapshot: Path) -> None:
    log = logged(snapshot)
    artifact_hash = open_artifact(FIRST.artifacts[next(iter(FIRST.artifacts))]).artifact_hash
    forge_index(snapshot, new_release)
    entry = WithdrawalEntry(run_id=RUN, artifact_hash=artifact_hash, reason="asked of the wrong model")
    extend_log(snapshot, log, [entry, REVISED], signer=OWNER)
    report, run = verify(snapshot).differences
    assert (report.place, report.expected) == ("reports/batch-1.json", REVISED.sha256)
    assert run.place == f"runs/{RUN}.json"
    assert "withdrawn" in run.message


def test_a_reveal_that_only_the_log_tells_of_names_the_run(snapshot: Path) -> None:
    log = logged(snapshot)
    forge_index(snapshot, new_release)
    extend_log(snapshot, log, [RevealEntry(run_id=RUN, sections=("steps",)), REVISED], signer=OWNER)
    report, run = verify(snapshot).differences
    assert (report.place, report.expected) == ("reports/batch-1.json", REVISED.sha256)
    assert run.place == f"runs/{RUN}.json"
    assert "revealed" in run.message


def test_a_revision_that_the_index_does_not_tell_of_is_found(snapshot: Path) -> None:
    log = logged(snapshot)
    forge_index(snapshot, new_release)
    extend_log(snapshot, log, [], signer=OWNER)
    assert places(verify(snapshot)) == ["index.json#/releases/2/revised"]


def test_a_release_that_the_index_does_not_tell_of_is_found(snapshot: Path) -> None:
    extend_log(snapshot, logged(snapshot), [], signer=OWNER)
    assert places(verify(snapshot)) == ["index.json#/releases"]


@pytest.mark.parametrize(
    "checkpoint",
    [
        b"",
        b"\xff",
        b"example.org/releases\n9223372036854775807\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n",
        b"example.org/releases\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n",
        b"\n\n\n" * 1000,
    ],
)
def test_a_hostile_checkpoint_is_a_difference_not_an_error(snapshot: Path, checkpoint: bytes) -> None:
    (snapshot / "log" / "checkpoint").write_bytes(checkpoint)
    assert any(place.startswith("log/") for place in places(verify(snapshot)))


def test_each_release_must_be_signed_by_a_given_key(snapshot: Path) -> None:
    assert held_to(snapshot, OWNER.verifier, STRANGER.verifier).holds
    namesake = VerifierKey(name=OWNER.name, public=STRANGER.verifier.public)
    for key in (STRANGER.verifier, namesake):
        assert places(held_to(snapshot, key)) == ["log/checkpoints/1", "log/checkpoints/2"]


def test_a_rewritten_history_is_told_by_a_kept_checkpoint(snapshot: Path) -> None:
    kept = (snapshot / "log" / "checkpoints" / "1").read_bytes()
    assert held_to(snapshot, expected=kept).holds
    write_logged_snapshot(snapshot, [SECOND, FIRST], signer=OWNER)
    assert verify(snapshot).holds
    assert not held_to(snapshot, expected=kept).holds
