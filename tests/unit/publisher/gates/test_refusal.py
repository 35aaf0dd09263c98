from __future__ import annotations

import json

from publisher.gates.interface import Fault
from publisher.gates.refusal import WITHHELD, RefusalError, refusal_of
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
    error = RefusalError(refusal_of([fault("one")], WordScanner()), None)
    assert "1 fault;" in error.message
    assert error.refusal.faults[0].message == "one"


def test_a_printed_fault_holds_no_control_character() -> None:
    assert str(fault("bell \x07 and \x1b[2J")).isprintable()
