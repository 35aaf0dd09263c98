from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from dataset.artifacts.withdrawn import Withdrawn
from dataset.canonical import sha256_hex
from dataset.measures.run_facts import WITHDRAWN
from dataset.record import RunId
from publisher.gates.refusal import RefusalError
from publisher.projection.index import Index, index_at
from publisher.projection.report import Report
from publisher.release_log.entry import ReleaseEntry, ReportEntry, RunEntry, WithdrawalEntry
from publisher.releases.errors import NoSnapshotError, UnsignedError, WithdrawalError
from publisher.releases.held import Held
from publisher.releases.history import history
from publisher.releases.publish import publish
from publisher.releases.withdraw import Withdrawing, withdraw
from publisher.releases.writer import Signing
from publisher.verification.snapshot import verify
from tests.factories import SampleBatch, SampleSource, WordScanner, make_batch
from tests.factories.logged import OWNER, STRANGER
from tests.factories.snapshot import write_snapshot
from tests.integration.publisher.acts import content

BATCH = make_batch(model_keys=("careful",))
SECOND = make_batch("batch-2", model_keys=("careful",))
RETRIED = make_batch(
    model_keys=("careful",), earlier=lambda planned: ("unstarted", "invalid") if planned.position == 1 else ()
)
SCANNER = WordScanner()
REASON = "The fixture had the wrong day."
RUN = "batch-1-0001"
SHOWCASE = Path(__file__).parents[3] / "showcase-data"


def put(target: Path, *batches: SampleBatch, signing: Signing | None = None) -> None:
    publish([SampleSource.of(batch) for batch in batches], target, SCANNER, signing=signing)


def take_back(target: Path, *names: str, reason: str = REASON, signing: Signing | None = None) -> Withdrawing:
    return withdraw(names, reason, target, SCANNER, signing=signing)


def report(target: Path, batch_id: str = "batch-1") -> Report:
    return Report.model_validate_json((target / "reports" / f"{batch_id}.json").read_bytes())


def index(target: Path) -> Index:
    return Index.model_validate_json((target / "index.json").read_bytes())


def verified(target: Path) -> None:
    assert verify(target).differences == ()


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "showcase"


@pytest.mark.parametrize("reason", ["", "short", " " * 20, "x" * 1001, "a\x1b[31m reason", "half a pair \ud800 here"])
def test_a_reason_that_can_not_be_published_is_refused_and_nothing_changes(target: Path, reason: str) -> None:
    put(target, BATCH)
    before = content(target.parent)
    with pytest.raises(WithdrawalError) as caught:
        take_back(target, RUN, reason=reason)
    assert caught.value.code == "WITHDRAW-REASON-001"
    assert content(target.parent) == before


@pytest.mark.parametrize(
    ("character", "words"),
    [
        ("\u202e", "U+202E (RIGHT-TO-LEFT OVERRIDE)"),
        ("\u200b", "U+200B (ZERO WIDTH SPACE)"),
        ("\u2028", "U+2028 (LINE SEPARATOR)"),
        ("\u2029", "U+2029 (PARAGRAPH SEPARATOR)"),
        ("\ufeff", "U+FEFF (ZERO WIDTH NO-BREAK SPACE)"),
        ("\ue000", "U+E000 (a character for private use)"),
        ("\U000e0041", "U+E0041 (TAG LATIN CAPITAL LETTER A)"),
        ("\u0378", "U+0378 (a character that isn't assigned)"),
        ("\x07", "U+0007 (a control character)"),
        ("\r", "U+000D (a control character)"),
        ("\ud800", "bytes that are no UTF-8"),
    ],
)
def test_a_character_that_nobody_sees_as_it_is_is_named(target: Path, character: str, words: str) -> None:
    with pytest.raises(WithdrawalError) as caught:
        take_back(target, RUN, reason=f"the fixture {character} had the wrong day")
    assert caught.value.code == "WITHDRAW-REASON-001"
    assert words in caught.value.message


def test_a_reason_may_have_lines_and_any_script(target: Path) -> None:
    put(target, BATCH)
    reason = "The fixture had the wrong day.\n\nБыл другой день — 日期错误 (naïve) 🙂"
    assert take_back(target, RUN, reason=reason).runs == (RUN,)
    assert [w.reason for w in report(target).withdrawals] == [reason]


def test_a_secret_in_the_reason_is_refused_by_its_mask(target: Path) -> None:
    put(target, BATCH)
    with pytest.raises(RefusalError) as caught:
        take_back(target, RUN, reason="the answer held plantedsecret in it")
    assert [(f.code, f.place) for f in caught.value.refusal.faults] == [("GATE-SCAN-001", "reason")]
    assert b"plantedsecret" not in target.with_name("showcase.refusal.json").read_bytes()
    assert not report(target).withdrawals


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("batch-1-0010", "did you mean batch-1-000"),
        ("batch-11", "batch-1"),
        ("../runs/batch-1-0001", "did you mean"),
        ("", "page"),
        ("完全不同", "page"),
    ],
)
def test_a_name_that_the_snapshot_does_not_have_is_told_with_what_is_near(target: Path, name: str, hint: str) -> None:
    put(target, BATCH)
    before = content(target.parent)
    with pytest.raises(WithdrawalError) as caught:
        take_back(target, RUN, name)
    assert caught.value.code == "WITHDRAW-NAME-001"
    assert hint in caught.value.hint
    assert content(target.parent) == before


def test_a_name_that_is_a_run_and_a_batch_is_refused(target: Path) -> None:
    put(target, BATCH, make_batch(RUN, model_keys=("careful",)))
    with pytest.raises(WithdrawalError) as caught:
        take_back(target, RUN)
    assert caught.value.code == "WITHDRAW-NAME-002"
    assert not report(target).withdrawals


def test_no_name_is_refused(target: Path) -> None:
    put(target, BATCH)
    with pytest.raises(WithdrawalError):
        take_back(target)


@pytest.mark.parametrize("kind", ["missing", "empty"])
def test_where_no_snapshot_is_there_is_nothing_to_withdraw(target: Path, kind: str) -> None:
    if kind == "empty":
        target.mkdir()
    with pytest.raises(NoSnapshotError):
        take_back(target, RUN)
    assert target.exists() == (kind == "empty")


def test_a_snapshot_that_does_not_verify_is_refused(target: Path) -> None:
    put(target, BATCH)
    file = target / "runs" / "batch-1-0002.json"
    file.write_bytes(file.read_bytes().replace(b'"attempt":1', b'"attempt":2'))
    with pytest.raises(RefusalError) as caught:
        take_back(target, RUN)
    assert {fault.code for fault in caught.value.refusal.faults} == {"GATE-CARRIED-001"}


def test_a_withdrawn_run_leaves_its_hash_and_reason_and_the_rest_stays_byte_for_byte(target: Path) -> None:
    put(target, BATCH, SECOND)
    before, line = content(target), report(target).runs[0]
    done = take_back(target, RUN)
    assert (done.runs, done.before, done.released.release.revised) == ((RUN,), (), ("batch-1",))
    verified(target)
    tombstone = Withdrawn.model_validate_json((target / "runs" / f"{RUN}.json").read_bytes())
    assert (tombstone.artifact_hash, tombstone.reason, tombstone.release) == (line.artifact_hash, REASON, 2)
    after = content(target)
    changed = {name for name in before if after[name] != before[name]}
    assert changed == {f"runs/{RUN}.json", "reports/batch-1.json", "index.json", "log/checkpoint"}
    assert {name for name in after.keys() - before.keys() if not name.startswith("log/")} == set()


def test_it_stays_in_every_denominator_as_an_invalid_run(target: Path) -> None:
    put(target, BATCH)
    before = report(target)
    take_back(target, RUN)
    after = report(target)
    (line,) = [line for line in after.runs if line.run_id == RUN]
    assert (line.verdict, line.invalid_reason, line.cost) == ("invalid", WITHDRAWN, None)
    assert after.models["careful"].planned == before.models["careful"].planned
    assert after.models["careful"].valid == before.models["careful"].valid - 1
    assert (after.started_at, after.finished_at) == (before.started_at, before.finished_at)


def test_the_log_tells_the_withdrawal_the_report_and_the_release(target: Path) -> None:
    put(target, BATCH)
    first = (target / "log" / "checkpoint").read_bytes()
    take_back(target, RUN)
    log = Held.of(target).log.log
    assert log is not None
    *_, gone, revised, release = log.entries()
    assert isinstance(gone, WithdrawalEntry)
    assert (gone.run_id, gone.reason) == (RUN, REASON)
    assert revised == ReportEntry(
        batch_id=BATCH.batch_id, sha256=sha256_hex((target / "reports" / "batch-1.json").read_bytes())
    )
    assert release == ReleaseEntry(number=2, index_sha256=sha256_hex((target / "index.json").read_bytes()))
    assert (target / "log" / "checkpoints" / "1").read_bytes() == first


def test_a_batch_is_withdrawn_with_every_run_that_it_has_those_superseded_too(target: Path) -> None:
    put(target, RETRIED)
    done = take_back(target, "batch-1", "batch-1-0002")
    verified(target)
    assert set(done.runs) == set(RETRIED.artifacts)
    assert report(target).models["careful"].valid == 0


def test_a_superseded_run_can_be_withdrawn_alone(target: Path) -> None:
    put(target, RETRIED)
    before = report(target)
    (superseded, *_) = before.superseded
    take_back(target, superseded.run_id)
    verified(target)
    assert report(target).models == before.models


def test_runs_of_two_batches_are_withdrawn_in_one_release(target: Path) -> None:
    put(target, BATCH, SECOND)
    done = take_back(target, "batch-2-0003", RUN, RUN)
    verified(target)
    assert done.runs == (RUN, "batch-2-0003")
    assert index(target).releases[-1].revised == ("batch-1", "batch-2")


def test_withdrawing_again_changes_no_byte(target: Path) -> None:
    put(target, BATCH)
    take_back(target, RUN)
    before = content(target)
    done = take_back(target, RUN, reason="Another reason for it.")
    assert (done.released.changed, done.runs, done.before) == (False, (), (RUN,))
    assert content(target) == before


def test_of_a_batch_only_the_runs_that_stand_are_withdrawn(target: Path) -> None:
    put(target, BATCH)
    take_back(target, RUN)
    done = take_back(target, "batch-1", reason="All of it was wrong.")
    verified(target)
    assert done.before == (RUN,)
    assert {w.run_id: (w.release, w.reason) for w in report(target).withdrawals}[RunId(RUN)] == (2, REASON)


def test_a_batch_with_withdrawn_runs_is_published_again_without_changing_a_byte(target: Path) -> None:
    put(target, BATCH)
    take_back(target, RUN)
    before = content(target)
    put(target, BATCH)
    assert content(target) == before


def test_a_finding_in_a_withdrawn_run_no_longer_stands_in_the_way(target: Path) -> None:
    leaking = make_batch(model_keys=("careful",))
    put(target, leaking)
    take_back(target, "batch-1")

    class Knowing(WordScanner):
        def scan_bytes(self, data: bytes, name: str) -> list:  # type: ignore[type-arg]
            return super().scan_bytes(b"plantedsecret" if b'"steps":' in data and b"batch-1" in data else b"", name)

    publish([SampleSource.of(leaking), SampleSource.of(SECOND)], target, Knowing())
    verified(target)


def test_another_batch_is_published_beside_withdrawn_runs(target: Path) -> None:
    put(target, BATCH)
    take_back(target, RUN)
    put(target, SECOND)
    verified(target)
    assert [release.number for release in index(target).releases] == [1, 2, 3]


def test_a_snapshot_from_before_there_was_a_log_gets_one_that_begins_with_its_releases(target: Path) -> None:
    write_snapshot(target, [BATCH, SECOND])
    old = index(target)
    take_back(target, RUN)
    verified(target)
    log = Held.of(target).log.log
    assert log is not None
    assert len(log.sizes) == 3
    entries = list(log.entries())
    assert entries[log.sizes[0] - 1] == ReleaseEntry(number=1, index_sha256=sha256_hex(index_at(old, 1).canonical))
    assert entries[log.sizes[1] - 1] == ReleaseEntry(number=2, index_sha256=sha256_hex(old.canonical))
    assert isinstance(entries[0], RunEntry)
    assert index(target).log == log.origin
    assert (target / "log" / "checkpoints" / "1").is_file()


def test_a_log_that_begins_late_with_a_key_is_that_keys_from_its_first_release_on(target: Path) -> None:
    write_snapshot(target, [BATCH, SECOND])
    take_back(target, RUN, signing=Signing(signer=OWNER))
    verified(target)
    assert index(target).log == OWNER.name
    assert [told.signed_by for told in history(target)] == [(OWNER.name,)] * 3


def test_signed_releases_go_on_under_any_key_but_not_without_one_unless_that_is_said(target: Path) -> None:
    put(target, BATCH, signing=Signing(signer=OWNER))
    assert index(target).log == OWNER.name
    before = content(target.parent)
    with pytest.raises(UnsignedError) as caught:
        take_back(target, RUN)
    assert "--unsigned" in caught.value.hint
    assert content(target.parent) == before
    assert take_back(target, RUN, signing=Signing(signer=STRANGER)).released.signed_by == (STRANGER.name,)
    verified(target)
    assert take_back(target, "batch-1-0002", signing=Signing(unsigned=True)).released.signed_by == ()
    verified(target)
    assert (target / "log" / "key").read_text() == f"{OWNER.verifier}\n{STRANGER.verifier}\n"
    assert index(target).log == OWNER.name


def test_a_signed_snapshot_that_holds_everything_needs_no_key(target: Path) -> None:
    put(target, BATCH, signing=Signing(signer=OWNER))
    before = content(target)
    put(target, BATCH)
    assert content(target) == before


@pytest.mark.slow
def test_a_run_of_the_showcase_is_withdrawn_and_everything_verifies(tmp_path: Path) -> None:
    target = tmp_path / "showcase"
    shutil.copytree(SHOWCASE, target)
    run_id = min(path.stem for path in (target / "runs").iterdir())
    take_back(target, run_id, signing=Signing(signer=OWNER))
    verified(target)
