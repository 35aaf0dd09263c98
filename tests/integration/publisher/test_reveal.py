from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from dataset.artifacts.disclosure import open_disclosed, withhold
from dataset.questions.withholding import WITHHELD, Withheld
from publisher.gates.refusal import RefusalError
from publisher.projection.report import Report
from publisher.release_log.entry import RevealEntry
from publisher.releases.errors import NoSnapshotError, RevealError, UnsignedError
from publisher.releases.held import Held
from publisher.releases.publish import publish
from publisher.releases.reveal import Revealing, reveal
from publisher.releases.withdraw import withdraw
from publisher.releases.writer import Signing
from publisher.scanning.finding import Finding
from publisher.verification.snapshot import verify
from tests.factories import SampleBatch, SampleSource, WordScanner, make_batch
from tests.factories.logged import OWNER
from tests.integration.publisher.acts import content

GOLD: tuple[Withheld, ...] = ("judgment", "output_checks", "gold")
HELD_OUT = make_batch(model_keys=("careful",), withheld=("gold",))
PRIVATE = make_batch(model_keys=("careful",), withheld=("case", "steps"))
OPEN = make_batch(model_keys=("careful",))
SCANNER = WordScanner()
REASON = "The fixture had the wrong day."


def put(target: Path, batch: SampleBatch, signing: Signing | None = None) -> None:
    publish([SampleSource.of(batch)], target, SCANNER, signing=signing)


def show(target: Path, batch: SampleBatch, *, cases: tuple[str, ...] = (), parts: tuple[str, ...] = ()) -> Revealing:
    return reveal(SampleSource.of(batch), target, SCANNER, cases=cases, parts=parts)


def report(target: Path) -> Report:
    return Report.model_validate_json((target / "reports" / "batch-1.json").read_bytes())


def withheld(target: Path) -> dict[str, frozenset[str]]:
    return {path.stem: open_disclosed(path.read_bytes()).withheld for path in (target / "runs").iterdir()}


def verified(target: Path) -> None:
    assert verify(target).differences == ()


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "showcase"


def test_what_a_pack_withholds_is_in_no_file_of_the_release(target: Path) -> None:
    put(target, HELD_OUT)
    verified(target)
    assert set(withheld(target).values()) == {frozenset(GOLD[:2])}
    assert {case.gold for case in report(target).cases} == {None}
    for run_id, data in HELD_OUT.artifacts.items():
        assert (target / "runs" / f"{run_id}.json").read_bytes() == withhold(data, GOLD)
    assert not any(b"answer.number.nav" in data for data in content(target).values())


def test_a_withheld_batch_is_published_again_without_changing_a_byte(target: Path) -> None:
    put(target, HELD_OUT)
    before = content(target)
    put(target, HELD_OUT)
    show(target, HELD_OUT, cases=("fund-nav",))
    revealed = content(target)
    put(target, HELD_OUT)
    assert content(target) == revealed != before


def test_what_is_withheld_is_not_scanned_and_what_is_revealed_is(target: Path) -> None:
    @dataclass(frozen=True, kw_only=True)
    class Golds(WordScanner):
        """Finds the assertion of a gold."""

        def scan_bytes(self, data: bytes, name: str) -> list[Finding]:
            return super().scan_bytes(data.replace(b"answer.number.nav", b"plantedsecret"), name)

    publish([SampleSource.of(HELD_OUT)], target, Golds())
    before = content(target)
    with pytest.raises(RefusalError) as caught:
        reveal(SampleSource.of(HELD_OUT), target, Golds(), cases=("fund-nav",))
    assert {fault.code for fault in caught.value.refusal.faults} == {"GATE-SCAN-001"}
    assert content(target) == before


@pytest.mark.parametrize(
    ("cases", "parts", "code", "hint"),
    [
        (("fund-navv",), (), "REVEAL-CASE-001", "fund-nav"),
        (("",), (), "REVEAL-CASE-001", "fund-nav"),
        ((), ("gould",), "REVEAL-PART-001", ", ".join(WITHHELD)),
        ((), ("provenance",), "REVEAL-PART-001", "gold"),
        ((), ("output_checks",), "REVEAL-PART-002", "--part output_checks --part gold"),
        ((), ("judgment",), "REVEAL-PART-002", "--part judgment --part output_checks --part gold"),
        ((), ("gold", "judgment"), "REVEAL-PART-002", "--part output_checks"),
    ],
)
def test_what_can_not_be_revealed_is_refused_with_what_to_do(
    target: Path, cases: tuple[str, ...], parts: tuple[str, ...], code: str, hint: str
) -> None:
    put(target, HELD_OUT)
    before = content(target.parent)
    with pytest.raises(RevealError) as caught:
        show(target, HELD_OUT, cases=cases, parts=parts)
    assert caught.value.code == code
    assert hint in caught.value.hint
    assert content(target.parent) == before


def test_a_batch_that_the_snapshot_does_not_have_is_refused(target: Path) -> None:
    put(target, HELD_OUT)
    with pytest.raises(RevealError) as caught:
        show(target, make_batch("batch-2", model_keys=("careful",), withheld=("gold",)))
    assert (caught.value.code, caught.value.hint) == ("REVEAL-BATCH-001", "did you mean batch-1?")


def test_where_no_snapshot_is_there_is_nothing_to_reveal(target: Path) -> None:
    with pytest.raises(NoSnapshotError):
        show(target, HELD_OUT)
    assert not target.exists()


def test_runs_of_the_database_that_are_not_those_published_are_refused(target: Path) -> None:
    put(target, HELD_OUT)
    other = make_batch(model_keys=("careful",), withheld=("gold",), scenario=lambda planned: "fail")
    before = content(target)
    with pytest.raises(RefusalError) as caught:
        show(target, other)
    assert {fault.code for fault in caught.value.refusal.faults} == {"GATE-CARRIED-002"}
    assert content(target) == before


def test_a_source_that_a_gate_refuses_reveals_nothing(target: Path) -> None:
    put(target, HELD_OUT)
    before = content(target)
    with pytest.raises(RefusalError) as caught:
        reveal(SampleSource.of(HELD_OUT).with_row(1, data=b"{}"), target, SCANNER)
    assert "GATE-SEAL-001" in {fault.code for fault in caught.value.refusal.faults}
    with pytest.raises(RefusalError) as caught:
        reveal(replace(SampleSource.of(HELD_OUT), stored=None), target, SCANNER)
    assert {fault.code for fault in caught.value.refusal.faults} == {"GATE-BATCH-001"}
    assert content(target) == before


def test_everything_revealed_gives_the_files_that_nothing_withheld_would_have_had(target: Path) -> None:
    put(target, HELD_OUT)
    before = content(target)
    done = show(target, HELD_OUT)
    verified(target)
    assert done.runs == len(HELD_OUT.artifacts)
    assert done.released.release.revised == ("batch-1",)
    for run_id, data in HELD_OUT.artifacts.items():
        assert (target / "runs" / f"{run_id}.json").read_bytes() == data
    assert [case.gold for case in report(target).cases] == [case.gold for case in HELD_OUT.cases]
    after = content(target)
    kept = {name for name in before if name.startswith("log/inclusion/")}
    assert kept
    assert all(after[name] == before[name] for name in kept)


def test_one_case_is_revealed_and_the_others_stay_withheld(target: Path) -> None:
    put(target, HELD_OUT)
    show(target, HELD_OUT, cases=("fund-nav",))
    verified(target)
    told = report(target)
    assert [made.body() for made in told.reveals] == [{"case_id": "fund-nav", "parts": list(GOLD), "release": 2}]
    lines = {str(line.run_id): line for line in told.every_run}
    for run_id, hidden in withheld(target).items():
        assert hidden == (frozenset() if lines[run_id].case_id == "fund-nav" else frozenset(GOLD[:2]))
    log = Held.of(target).log.log
    assert log is not None
    logged = [entry for entry in log.entries() if isinstance(entry, RevealEntry)]
    assert {entry.run_id for entry in logged} == {r for r, line in lines.items() if line.case_id == "fund-nav"}
    assert {entry.sections for entry in logged} == {GOLD}


def test_parts_are_revealed_one_after_another_as_far_as_none_gives_another_away(target: Path) -> None:
    put(target, PRIVATE)
    with pytest.raises(RevealError) as caught:
        show(target, PRIVATE, parts=("result",))
    assert "steps" in caught.value.message
    show(target, PRIVATE, parts=("case",))
    verified(target)
    assert report(target).cases[0].question is None
    show(target, PRIVATE, parts=("context", "guardrail_checks", "steps", "result"))
    verified(target)
    assert report(target).cases[0].question is not None
    show(target, PRIVATE)
    verified(target)
    assert set(withheld(target).values()) == {frozenset()}
    assert [made.release for made in report(target).reveals if made.case_id == "fund-nav"] == [2, 3, 4]


@pytest.mark.parametrize("batch", [HELD_OUT, OPEN], ids=["revealed before", "never withheld"])
def test_what_is_public_already_changes_no_byte(target: Path, batch: SampleBatch) -> None:
    put(target, batch)
    show(target, batch)
    before = content(target)
    done = show(target, batch, parts=GOLD)
    assert (done.released.changed, done.reveals, done.runs) == (False, (), 0)
    assert content(target) == before


def test_a_withdrawn_run_is_never_revealed(target: Path) -> None:
    put(target, HELD_OUT)
    withdraw(["batch-1-0001"], REASON, target, SCANNER)
    tombstone = (target / "runs" / "batch-1-0001.json").read_bytes()
    done = show(target, HELD_OUT)
    verified(target)
    assert done.runs == len(HELD_OUT.artifacts) - 1
    assert (target / "runs" / "batch-1-0001.json").read_bytes() == tombstone


def test_a_run_is_withdrawn_after_it_was_revealed(target: Path) -> None:
    put(target, HELD_OUT)
    show(target, HELD_OUT)
    withdraw(["batch-1-0001"], REASON, target, SCANNER)
    verified(target)
    put(target, HELD_OUT)


def test_a_case_whose_every_run_was_withdrawn_is_not_revealed(target: Path) -> None:
    put(target, HELD_OUT)
    gone = [str(line.run_id) for line in report(target).runs if line.case_id == "fund-nav"]
    withdraw(gone, REASON, target, SCANNER)
    with pytest.raises(RevealError) as caught:
        show(target, HELD_OUT, cases=("fund-nav",))
    assert caught.value.code == "REVEAL-RUN-001"
    show(target, HELD_OUT)
    verified(target)
    assert "fund-nav" not in {made.case_id for made in report(target).reveals}


def test_what_is_withheld_of_withdrawn_runs_alone_is_not_told_as_public(target: Path) -> None:
    put(target, HELD_OUT)
    withdraw([str(line.run_id) for line in report(target).runs], REASON, target, SCANNER)
    before = content(target)
    with pytest.raises(RevealError) as caught:
        show(target, HELD_OUT)
    assert caught.value.code == "REVEAL-RUN-001"
    assert content(target) == before


def test_a_signed_snapshot_is_not_revealed_from_without_a_key(target: Path) -> None:
    put(target, HELD_OUT, signing=Signing(signer=OWNER))
    with pytest.raises(UnsignedError):
        show(target, HELD_OUT)
    assert not report(target).reveals
    done = reveal(SampleSource.of(HELD_OUT), target, SCANNER, signing=Signing(signer=OWNER))
    assert done.released.signed_by == (OWNER.name,)
    verified(target)
