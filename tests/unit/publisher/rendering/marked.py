"""A batch with a word of its own in each part of its cases and runs, so that a page that shows a part can be told."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dataset.artifacts.artifact import Artifact
from dataset.artifacts.digest import open_artifact
from dataset.questions.gold import AnswerGold, FactGold
from dataset.questions.withholding import Withheld
from dataset.record import Localised, LocalisedList
from tests.factories import SampleBatch, both, make_batch, reseal
from tests.factories.bank import BankCase

MARKS: dict[str, str] = {
    "case": "zqcase",
    "context": "zqcontext",
    "visible_tools": "zqvisible_tools",
    "steps": "zqsteps",
    "guardrail_checks": "zqguardrails",
    "result": "zqresult",
    "judgment": "zqjudgment",
    "output_checks": "zqassertions",
    "gold": "zqgold",
}
"""By part. `zqquestion` stands in the bank's question."""
QUESTION_MARK = "zqquestion"


def marked_batch(batch_id: str, withheld: tuple[Withheld, ...]) -> SampleBatch:
    """A batch of one model on one case whose every run fails, and withholds these parts."""
    batch = make_batch(
        batch_id, case_ids=("fund-nav",), model_keys=("careful",), scenario=lambda _: "fail", withheld=withheld
    )
    cases = tuple(_marked_case(case) for case in batch.cases)
    frozen = tuple(
        known.model_copy(update={"hash": case.question.digest(), "gold_hash": case.gold.digest()})
        for known, case in zip(batch.definition.cases, cases, strict=True)
    )
    artifacts = {run_id: _marked_run(open_artifact(data)) for run_id, data in batch.artifacts.items()}
    definition = batch.definition.model_copy(update={"cases": frozen})
    return replace(batch, cases=cases, definition=definition, artifacts=artifacts)


def _marked_case(case: BankCase) -> BankCase:
    words = both(QUESTION_MARK)
    session = tuple(item.model_copy(update={"text": words}) for item in case.question.session)
    wanted = LocalisedList(en=(MARKS["gold"],), zh=(MARKS["gold"],))
    gold = case.gold.model_copy(update={"answer": AnswerGold(facts=(FactGold(id=MARKS["gold"], any_of=wanted),))})
    changed: dict[str, Localised | Any] = {"title": words, "text": words, "session": session}
    return BankCase(question=case.question.model_copy(update=changed), gold=gold)


def _marked_run(artifact: Artifact) -> bytes:
    first, *items = artifact.context.items
    shown = [item.model_copy(update={"text": MARKS["context"], "source": MARKS["context"]}) for item in items]
    visible = [
        entry.model_copy(
            update={"tools": tuple(t.model_copy(update={"name": MARKS["visible_tools"]}) for t in entry.tools)}
        )
        for entry in artifact.visible_tools
    ]
    marks: dict[str, Any] = {
        "case": artifact.case.model_copy(update={"question": MARKS["case"]}),
        "context": artifact.context.model_copy(update={"items": (first, *shown)}),
        "visible_tools": tuple(visible),
        "steps": tuple(
            step.model_copy(update={"text": MARKS["steps"]}) if step.kind == "model" else step
            for step in artifact.steps
        ),
        "guardrail_checks": tuple(
            check.model_copy(update={"detail": MARKS["guardrail_checks"], "corrections": ()})
            for check in artifact.guardrail_checks
        ),
        "result": artifact.result.model_copy(update={"final_output": MARKS["result"]}),
        "judgment": artifact.judgment.model_copy(update={"failure_reasons": (f"answer.fact.{MARKS['judgment']}",)}),
        "output_checks": tuple(
            check.model_copy(update={"reason": MARKS["output_checks"], "expected": MARKS["output_checks"]})
            for check in artifact.output_checks
        ),
    }
    return reseal(artifact, **marks)
