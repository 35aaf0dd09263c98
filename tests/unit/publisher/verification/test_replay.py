"""A published batch that judges recorded answers again has the answers of the batch that it names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dataset.questions.withholding import Withheld
from publisher.mirror.statement import not_checked
from publisher.verification.replay import ReplayFindings, replay_findings
from publisher.verification.snapshot import verify
from tests.factories import VARIANTS, SampleBatch, make_batch, write_snapshot
from tests.factories.released import Change, write_released
from tests.unit.publisher.mirror.mirrors import verified

SMALL: dict[str, Any] = {
    "case_ids": ("fund-nav", "order-history"),
    "model_keys": ("careful",),
    "variants": VARIANTS[:1],
    "scenario": lambda planned: "pass",
}
HIDDEN: tuple[Withheld, ...] = ("steps", "guardrail_checks", "result")
PARENT = make_batch("batch-1", **SMALL)
REPLAY = make_batch("batch-2", replay_of="batch-1", **SMALL)
OTHER_ANSWERS = make_batch("batch-2", replay_of="batch-1", **{**SMALL, "scenario": lambda planned: "fail"})
OTHER_CASES = make_batch("batch-2", replay_of="batch-1", **{**SMALL, "case_ids": ("fund-nav",)})


def found(batch: SampleBatch, parent: SampleBatch) -> ReplayFindings:
    files = {f"runs/{name}.json": data for one in (batch, parent) for name, data in one.published.items()}
    return replay_findings(batch.report, parent.report, files.get)


def test_a_replay_of_the_recorded_answers_holds(tmp_path: Path) -> None:
    assert found(REPLAY, PARENT) == ReplayFindings()
    write_snapshot(tmp_path, [PARENT, REPLAY])
    verification = verify(tmp_path)
    assert (verification.differences, verification.orphans, verification.unseen) == ((), (), 0)


def test_other_answers_than_those_that_were_recorded_are_named_run_by_run(tmp_path: Path) -> None:
    write_snapshot(tmp_path, [PARENT, OTHER_ANSWERS])
    assert [str(difference) for difference in verify(tmp_path).differences] == [
        f"runs/batch-2-000{number}.json#/steps: other answers than batch-1-000{number}, which it judges again"
        for number in (1, 2)
    ]


def test_a_replay_of_another_batch_than_it_names_is_found(tmp_path: Path) -> None:
    write_snapshot(tmp_path, [PARENT, OTHER_CASES])
    (difference,) = verify(tmp_path).differences
    assert str(difference) == "reports/batch-2.json#/definition: isn't that of batch-1, which it judges again"


def test_a_replay_of_a_batch_that_is_not_here_is_said_not_to_be_checked(tmp_path: Path) -> None:
    write_snapshot(tmp_path, [REPLAY])
    assert verify(tmp_path).orphans == ("batch-2",)
    assert "1 replay (batch-2): whether the answers are those that were recorded" in "\n".join(
        not_checked(verified(tmp_path))
    )


@pytest.mark.parametrize(
    ("scenario", "unseen", "differing"), [(lambda planned: "pass", 2, 0), (lambda planned: "fail", 0, 2)]
)
def test_withheld_answers_are_held_by_their_counts_and_said_not_to_be_seen(
    scenario: Callable[[Any], Any], unseen: int, differing: int
) -> None:
    parent = make_batch("batch-1", withheld=HIDDEN, **SMALL)
    replay = make_batch("batch-2", replay_of="batch-1", withheld=HIDDEN, **{**SMALL, "scenario": scenario})
    findings = found(replay, parent)
    assert (len(findings.unknown), len(findings.differences)) == (unseen, differing)


def test_a_parents_run_that_was_withdrawn_leaves_its_answers_unseen(tmp_path: Path) -> None:
    gone = Change(withdrawn={"batch-1-0001": "the fixture had the wrong day"})
    write_released(tmp_path, [PARENT, REPLAY], gone)
    verification = verify(tmp_path)
    assert (verification.differences, verification.unseen) == ((), 1)
    assert "1 replayed run: whether the answers are those" in "\n".join(not_checked(verified(tmp_path)))


def test_a_run_of_the_replay_that_was_withdrawn_is_held_to_nothing(tmp_path: Path) -> None:
    gone = Change(withdrawn={"batch-2-0001": "the fixture had the wrong day"})
    write_released(tmp_path, [PARENT, REPLAY], gone)
    verification = verify(tmp_path)
    assert (verification.differences, verification.unseen) == ((), 0)
