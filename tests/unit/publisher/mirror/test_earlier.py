from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dataset.artifacts.digest import open_artifact
from dataset.artifacts.disclosure import withhold
from dataset.artifacts.withdrawn import Withdrawn
from dataset.canonical import sha256_hex
from dataset.record import BatchId, RunId
from publisher.mirror.earlier import EarlierFindings, EarlierMirror
from publisher.mirror.errors import GivenError
from publisher.mirror.given import Given
from publisher.mirror.mirror import MirrorVerification
from publisher.release_log.entry import LogEntry, ReportEntry, RevealEntry, WithdrawalEntry
from publisher.rendering.site.build import build_site
from publisher.verification.difference import Difference
from publisher.verification.files import Files
from publisher.verification.snapshot import SnapshotCheck
from tests.factories import reseal, write_snapshot
from tests.factories.forgery import forge_index
from tests.factories.logged import OWNER, extend_log, write_logged_snapshot
from tests.unit.publisher.mirror.mirrors import messages, places, small_batch, verified

FIRST, SECOND = small_batch("batch-1"), small_batch("batch-2")
RUN, OTHER_RUN = RunId("batch-1-0001"), RunId("batch-1-0002")
FILE = f"runs/{RUN}.json"
ARTIFACT = FIRST.artifacts[RUN]
REASON = "asked of the wrong model"


@pytest.fixture
def earlier(tmp_path: Path) -> Path:
    """A mirror as it was after the first release."""
    write_logged_snapshot(tmp_path / "earlier", [FIRST], signer=OWNER)
    return tmp_path / "earlier"


def against(earlier: Path, now: Path) -> MirrorVerification:
    return verified(now, Given(previous=earlier))


def findings(earlier: Path, now: Path) -> EarlierFindings:
    files = Files(now)
    return EarlierMirror(earlier).findings(files, SnapshotCheck(files).run())


def told(found: EarlierFindings) -> list[str]:
    return [f"{difference.place}: {difference.message}" for difference in found.differences]


def test_a_later_release_holds_what_the_earlier_one_had(earlier: Path, snapshot: Path) -> None:
    found = against(earlier, snapshot)
    assert found.differences == ()
    assert found.earlier is not None
    assert (found.earlier.same, found.earlier.runs, found.earlier.entries) == (2, 2, 4)


def test_a_site_is_an_earlier_mirror_too(published: Path, snapshot: Path) -> None:
    assert against(published / "site", snapshot).holds


def test_an_earlier_snapshot_without_a_log_is_compared_by_its_files(tmp_path: Path) -> None:
    write_snapshot(tmp_path / "earlier", [FIRST])
    write_logged_snapshot(tmp_path / "now", [FIRST, SECOND], signer=OWNER, unlogged=1)
    found = against(tmp_path / "earlier", tmp_path / "now")
    assert found.differences == ()
    assert found.earlier is not None
    assert (found.earlier.same, found.earlier.entries) == (2, None)


def test_a_log_that_tells_of_another_index_than_there_was_is_found(tmp_path: Path) -> None:
    write_snapshot(tmp_path / "earlier", [FIRST])
    write_logged_snapshot(tmp_path / "now", [FIRST, SECOND], signer=OWNER)
    assert places(against(tmp_path / "earlier", tmp_path / "now")) == ["index.json"]


def test_a_run_that_vanished_with_every_trace_is_named(earlier: Path, tmp_path: Path) -> None:
    write_logged_snapshot(tmp_path / "now", [SECOND], signer=OWNER)
    assert verified(tmp_path / "now").holds
    found = against(earlier, tmp_path / "now")
    assert f"{FILE}: vanished: the earlier mirror had this run" in messages(found)
    assert "reports/batch-1.json: vanished" in messages(found)
    assert found.rewritten


def test_a_run_that_was_made_again_with_all_that_follows_is_named(earlier: Path, tmp_path: Path) -> None:
    artifact = open_artifact(ARTIFACT)
    again = reseal(artifact.model_copy(update={"salts": dict.fromkeys(artifact.salts, "0" * 31 + "1")}))
    write_logged_snapshot(
        tmp_path / "now", [replace(FIRST, artifacts={**FIRST.artifacts, RUN: again}), SECOND], signer=OWNER
    )
    assert verified(tmp_path / "now").holds
    found = against(earlier, tmp_path / "now")
    assert f"{FILE}#/artifact_hash" in places(found)
    assert "reports/batch-1.json" in places(found)
    rewritten = next(d for d in found.differences if d.place == "log/checkpoint")
    assert "entry 0" in rewritten.message
    assert f"run {RUN}" in rewritten.expected


def test_a_log_dropped_together_with_its_name_is_found(earlier: Path, tmp_path: Path) -> None:
    write_snapshot(tmp_path / "now", [FIRST, SECOND])
    assert verified(tmp_path / "now").holds
    found = against(earlier, tmp_path / "now")
    assert "log/checkpoint" in places(found)
    assert found.rewritten


def test_fewer_releases_than_before_are_found(published: Path, earlier: Path) -> None:
    found = against(published / "snapshot", earlier)
    assert found.rewritten
    assert "index.json#/releases" in places(found)


def test_a_report_changed_without_a_log_is_named(tmp_path: Path) -> None:
    write_snapshot(tmp_path / "earlier", [FIRST])
    write_snapshot(tmp_path / "now", [small_batch("batch-1", text="other")])
    found = against(tmp_path / "earlier", tmp_path / "now")
    assert {"reports/batch-1.json", f"{FILE}#/artifact_hash"} <= set(places(found))


def test_an_expected_checkpoint_that_the_log_extends_is_said_to_hold(earlier: Path, snapshot: Path) -> None:
    kept = (earlier / "log" / "checkpoint").read_bytes()
    found = verified(snapshot, Given(checkpoint=kept))
    assert (found.holds, found.extends, found.rewritten) == (True, True, False)
    bare = kept.partition(b"\n\n")[0] + b"\n"
    assert verified(snapshot, Given(checkpoint=bare)).extends is True


@pytest.mark.parametrize("batches", [[SECOND, FIRST], [SECOND], [FIRST]])
def test_an_expected_checkpoint_that_the_log_does_not_extend_is_a_rewritten_history(
    snapshot: Path, tmp_path: Path, batches: list[Any]
) -> None:
    kept = (snapshot / "log" / "checkpoint").read_bytes()
    write_logged_snapshot(tmp_path / "now", batches, signer=OWNER)
    found = verified(tmp_path / "now", Given(checkpoint=kept))
    assert not found.holds
    assert found.rewritten


def test_a_log_that_is_gone_does_not_extend_an_expected_checkpoint(snapshot: Path, tmp_path: Path) -> None:
    kept = (snapshot / "log" / "checkpoint").read_bytes()
    write_snapshot(tmp_path / "now", [FIRST, SECOND])
    found = verified(tmp_path / "now", Given(checkpoint=kept))
    assert not found.holds
    assert found.rewritten


def later(tmp_path: Path, run_file: bytes, *entries: LogEntry) -> Path:
    """The earlier mirror one release on: one run file replaced, and these entries in the log; where there are none,
    the withdrawal of another run."""
    now = tmp_path / "now"
    log = write_logged_snapshot(now, [FIRST], signer=OWNER)
    (now / FILE).write_bytes(run_file)
    published_at = json.loads((now / "index.json").read_bytes())["releases"][-1]["published_at"]
    release = {"number": 2, "published_at": published_at, "batches": [], "revised": ["batch-1"]}
    forge_index(now, lambda index: index["releases"].append(release))
    report = ReportEntry(batch_id=FIRST.batch_id, sha256=sha256_hex(b"the report that tells it"))
    extend_log(now, log, [*(entries or [withdrawal(OTHER_RUN)]), report], signer=OWNER)
    return now


def tombstone(artifact_hash: str = open_artifact(ARTIFACT).artifact_hash) -> bytes:
    return Withdrawn(
        run_id=RUN, batch_id=BatchId("batch-1"), artifact_hash=artifact_hash, reason=REASON, release=2
    ).canonical


def withdrawal(run_id: RunId = RUN) -> WithdrawalEntry:
    artifact = open_artifact(FIRST.artifacts[run_id])
    return WithdrawalEntry(run_id=run_id, artifact_hash=artifact.artifact_hash, reason=REASON)


def test_a_run_withdrawn_since_in_a_logged_way_is_counted(earlier: Path, tmp_path: Path) -> None:
    found = findings(earlier, later(tmp_path, tombstone(), withdrawal()))
    assert (found.differences, found.withdrawn, found.same) == ((), 1, 1)


def test_a_run_withdrawn_without_a_word_in_the_log_is_named(earlier: Path, tmp_path: Path) -> None:
    found = findings(earlier, later(tmp_path, tombstone()))
    assert [place.partition(": ")[0] for place in told(found)] == [FILE]
    assert found.withdrawn == 0


def test_a_tombstone_of_another_run_is_named(earlier: Path, tmp_path: Path) -> None:
    found = findings(earlier, later(tmp_path, tombstone("0" * 64), withdrawal()))
    assert [difference.place for difference in found.differences] == [f"{FILE}#/artifact_hash"]


def test_a_run_that_was_withdrawn_does_not_come_back(tmp_path: Path) -> None:
    before = later(tmp_path, tombstone(), withdrawal())
    now = Path(shutil.copytree(before, tmp_path / "later"))
    (now / FILE).write_bytes(ARTIFACT)
    (difference,) = findings(before, now).differences
    assert (difference.place, "was withdrawn" in difference.message) == (FILE, True)


def before_reveal(earlier: Path) -> Path:
    (earlier / FILE).write_bytes(withhold(ARTIFACT, ["steps", "result"]))
    return earlier


def test_sections_revealed_in_a_logged_way_are_counted(earlier: Path, tmp_path: Path) -> None:
    now = later(tmp_path, ARTIFACT, RevealEntry(run_id=RUN, sections=("steps", "result")))
    found = findings(before_reveal(earlier), now)
    assert (found.differences, found.revealed) == ((), 1)


def test_a_section_shown_without_a_word_in_the_log_is_named(earlier: Path, tmp_path: Path) -> None:
    now = later(tmp_path, ARTIFACT, RevealEntry(run_id=RUN, sections=("steps",)))
    (difference,) = findings(before_reveal(earlier), now).differences
    assert (difference.place, difference.message.endswith(": result")) == (FILE, True)


def test_a_section_that_was_public_cannot_be_withheld_again(earlier: Path, tmp_path: Path) -> None:
    (difference,) = findings(earlier, later(tmp_path, withhold(ARTIFACT, ["steps"]))).differences
    assert difference == Difference(
        place=FILE, expected="", observed="", message="withholds what the earlier mirror showed: steps"
    )


@pytest.mark.parametrize("broken", ["empty", "index", "log"])
def test_an_earlier_mirror_that_cannot_be_read_is_an_error_and_no_verdict(
    earlier: Path, snapshot: Path, broken: str
) -> None:
    if broken == "empty":
        shutil.rmtree(earlier)
        earlier.mkdir()
    if broken == "index":
        (earlier / "index.json").write_bytes(b"{}")
    if broken == "log":
        (earlier / "log" / "checkpoint").write_bytes(b"")
    with pytest.raises(GivenError) as error:
        against(earlier, snapshot)
    assert error.value.code == "VERIFY-PREVIOUS-001"


def test_a_link_in_the_earlier_mirror_is_told(earlier: Path, snapshot: Path, tmp_path: Path) -> None:
    (earlier / FILE).rename(tmp_path / "elsewhere")
    (earlier / FILE).symlink_to(tmp_path / "elsewhere")
    assert f"{FILE}: in the earlier mirror: a symbolic link" in messages(against(earlier, snapshot))


def test_an_earlier_run_that_is_damaged_is_told_as_such(earlier: Path, snapshot: Path) -> None:
    (earlier / FILE).write_bytes(b"{}")
    assert f"{FILE}: changed, and can't be read in the earlier mirror" in messages(against(earlier, snapshot))


def test_pages_and_an_earlier_mirror_are_checked_together(earlier: Path, snapshot: Path, tmp_path: Path) -> None:
    build_site(snapshot, tmp_path / "site")
    found = against(earlier, tmp_path / "site")
    assert found.holds
    assert found.pages is not None
    assert found.earlier is not None
