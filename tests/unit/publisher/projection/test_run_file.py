from __future__ import annotations

from dataset.artifacts.disclosure import open_disclosed
from dataset.artifacts.withdrawn import Withdrawn
from dataset.canonical import canonical_bytes
from publisher.projection.report import Reveal, Withdrawal
from publisher.projection.run_file import run_file
from tests.factories import make_batch

OPEN = make_batch(model_keys=("careful",))
HELD_OUT = make_batch(model_keys=("careful",), withheld=("gold",))
REASON = "The fixture had the wrong day."


def test_where_nothing_is_withheld_the_file_is_the_artifact() -> None:
    line = OPEN.report.runs[0]
    assert run_file(OPEN.report, line, OPEN.artifacts[line.run_id]) == OPEN.artifacts[line.run_id]


def test_what_is_withheld_is_left_out_and_what_was_revealed_is_not() -> None:
    report, case_id = HELD_OUT.report, HELD_OUT.definition.cases[0].id
    made = Reveal(case_id=case_id, parts=report.withheld(case_id), release=2)
    revealed = report.model_copy(update={"reveals": (made,)})
    for line in report.runs:
        whole = HELD_OUT.artifacts[line.run_id]
        assert open_disclosed(run_file(report, line, whole)).withheld == {"judgment", "output_checks"}
        assert (run_file(revealed, line, whole) == whole) == (line.case_id == case_id)


def test_a_withdrawn_run_leaves_its_hash_and_the_reason_in_canonical_bytes() -> None:
    line = HELD_OUT.report.runs[0]
    report = HELD_OUT.report.model_copy(
        update={"withdrawals": (Withdrawal(run_id=line.run_id, reason=REASON, release=3),)}
    )
    data = run_file(report, line, HELD_OUT.artifacts[line.run_id])
    found = Withdrawn.model_validate_json(data)
    assert (found.artifact_hash, found.batch_id, found.release) == (line.artifact_hash, "batch-1", 3)
    assert canonical_bytes(found.body()) == data
