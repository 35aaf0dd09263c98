from __future__ import annotations

import json
from pathlib import Path

import pytest

from publisher.gates.interface import Fault
from publisher.gates.refusal import WITHHELD, Act, RefusalError, refusal_of
from tests.factories import WordScanner


def fault(message: str, place: str = "") -> Fault:
    return Fault(code="GATE-SEAL-001", batch_id="batch-1", run_id="batch-1-0001", place=place, message=message)


def test_a_refusal_is_canonical_json_with_every_fault() -> None:
    document = json.loads(refusal_of([fault("one"), fault("two")], WordScanner()).document())
    assert document["schema"] == "glassbench.refusal/1"
    assert [entry["message"] for entry in document["faults"]] == ["one", "two"]


def test_words_that_would_tell_a_secret_are_withheld_and_the_others_stay() -> None:
    refusal = refusal_of([fault("key plantedsecret twice"), fault("x", "/plantedsecret"), fault("fine")], WordScanner())
    assert [entry.message for entry in refusal.faults] == [WITHHELD, WITHHELD, "fine"]
    assert b"plantedsecret" not in refusal.document()


def test_the_error_counts_the_faults_and_offers_no_way_around_them() -> None:
    error = RefusalError(refusal_of([fault("one")], WordScanner()), None, act="publish", target=Path("public"))
    assert error.message == "publishing to public is refused: 1 fault; the target is as it was"
    assert error.refusal.faults[0].message == "one"


@pytest.mark.parametrize(
    ("act", "code", "words"),
    [
        ("withdraw", "WITHDRAW-REFUSED-001", "withdrawing from public is refused"),
        ("reveal", "REVEAL-REFUSED-001", "revealing in public is refused"),
    ],
)
def test_a_refusal_names_the_act_the_place_and_the_mend(act: Act, code: str, words: str) -> None:
    error = RefusalError(refusal_of([fault("one")], WordScanner()), None, act=act, target=Path("public"))
    assert (error.code, error.message.split(":")[0]) == (code, words)
    assert f"{act} again" in (error.hint or "")


def missing(count: int) -> list[Fault]:
    return [
        Fault(code="GATE-RUNS-001", batch_id="b", run_id=f"b-{number:04}", place="", message="there is no artifact")
        for number in range(1, count + 1)
    ]


def test_what_is_said_of_many_runs_is_printed_once_and_written_for_each() -> None:
    refusal = refusal_of([fault("one"), *missing(12), fault("two")], WordScanner())
    assert list(refusal.lines()) == [
        "GATE-SEAL-001 batch-1-0001: one",
        "GATE-RUNS-001 b: there is no artifact: 12 runs (b-0001, b-0002, b-0003 and 9 more)",
        "GATE-SEAL-001 batch-1-0001: two",
    ]
    assert len(json.loads(refusal.document())["faults"]) == 14


def test_what_is_said_of_few_runs_is_printed_for_each() -> None:
    assert list(refusal_of(missing(3), WordScanner()).lines()) == [str(each) for each in missing(3)]


def test_a_printed_fault_holds_no_control_character() -> None:
    assert str(fault("bell \x07 and \x1b[2J")).isprintable()
