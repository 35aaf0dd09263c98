"""A refusal says nothing that is withheld, whichever gate refuses, whatever stands in the run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from dataset.artifacts.artifact import Artifact
from dataset.artifacts.digest import open_artifact
from dataset.canonical import Json, canonical_bytes, read_canonical
from publisher.gates.concealed import WITHHELD_VALUES, shown_place
from publisher.gates.examination import Examination
from publisher.gates.interface import Fault
from publisher.gates.refusal import Refusal
from tests.factories import SampleSource, WordScanner, make_batch, reseal

MARK = "zebrafact"
QUESTION = "What is the NAV of fund 000001?"
PARTS = ("case", "context", "visible_tools", "steps", "guardrail_checks", "result", "judgment", "output_checks", "gold")
Change = Callable[[Artifact], dict[str, Any]]


def source_of(*withheld: str) -> SampleSource:
    return SampleSource.of(
        make_batch(
            case_ids=("fund-nav",),
            model_keys=("careful",),
            withheld=withheld,  # type: ignore[arg-type]
            scenario=lambda planned: "pass",
        )
    )


def faults(source: SampleSource, data: bytes) -> tuple[Fault, ...]:
    found = Examination(WordScanner()).examine(source.with_row(0, data=data)).faults
    assert found
    return found


def told(found: tuple[Fault, ...]) -> str:
    return Refusal(faults=found).document().decode() + "\n".join(Refusal(faults=found).lines())


def changed(source: SampleSource, change: Change) -> bytes:
    artifact = open_artifact(source.rows[0].data)
    return reseal(artifact, **change(artifact))


def _case(artifact: Artifact) -> dict[str, Any]:
    return {"case": artifact.case.model_copy(update={"question": f"{MARK} now"})}


def _other_case(artifact: Artifact) -> dict[str, Any]:
    return {"case": artifact.case.model_copy(update={"case_id": "another", "question": f"{MARK} now"})}


def _answer(artifact: Artifact) -> dict[str, Any]:
    return {"result": artifact.result.model_copy(update={"final_output": f"{MARK} is 42"})}


def _checks(artifact: Artifact) -> dict[str, Any]:
    first, *rest = artifact.output_checks
    return {"output_checks": (first.model_copy(update={"id": MARK, "expected": MARK, "passed": False}), *rest)}


def _reasons(artifact: Artifact) -> dict[str, Any]:
    judgment = artifact.judgment.model_copy(update={"failure_reasons": (f"answer.{MARK}",), "verdict": "fail"})
    return {"judgment": judgment}


def _context(artifact: Artifact) -> dict[str, Any]:
    items = tuple(item.model_copy(update={"text": MARK}) for item in artifact.context.items)
    return {"context": artifact.context.model_copy(update={"items": items})}


def _tools(artifact: Artifact) -> dict[str, Any]:
    first, *rest = artifact.visible_tools
    tools = tuple(tool.model_copy(update={"name": MARK}) for tool in first.tools)
    return {"visible_tools": (first.model_copy(update={"tools": tools}), *rest)}


def _steps(artifact: Artifact) -> dict[str, Any]:
    return {"steps": tuple(step.model_copy(update={"text": MARK}) for step in artifact.steps if step.kind == "model")}


def _arguments(artifact: Artifact) -> dict[str, Any]:
    at = next(i for i, step in enumerate(artifact.steps) if step.kind == "model" and step.tool_calls)
    step: Any = artifact.steps[at]
    call = step.tool_calls[0].model_copy(update={"arguments_parsed": f'{{"{MARK}":1}}'})
    steps = list(artifact.steps)
    steps[at] = step.model_copy(update={"tool_calls": (call, *step.tool_calls[1:])})
    return {"steps": tuple(steps)}


CHANGES = (_case, _other_case, _answer, _checks, _reasons, _context, _tools, _steps, _arguments)


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_a_refusal_quotes_nothing_of_a_run_that_is_withheld(change: Change) -> None:
    source = source_of(*PARTS)
    text = told(faults(source, changed(source, change)))
    assert MARK not in text
    assert QUESTION not in text


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_it_quotes_what_differs_where_nothing_is_withheld(change: Change) -> None:
    source = source_of()
    assert MARK in told(faults(source, changed(source, change)))


def test_what_differs_is_still_told_by_its_place() -> None:
    source = source_of("case", "context", "guardrail_checks", "gold", "output_checks", "judgment")
    found = {(fault.code, fault.place): fault.message for fault in faults(source, changed(source, _case))}
    assert found[("GATE-PROV-001", "/case/question")] == f"disagrees with the batch definition ({WITHHELD_VALUES})"


def test_provenance_is_public_and_told_with_its_values() -> None:
    source = source_of(*PARTS)

    def other_bank(artifact: Artifact) -> dict[str, Any]:
        return {"provenance": artifact.provenance.model_copy(update={"bank_hash": "0" * 64})}

    (found,) = [f for f in faults(source, changed(source, other_bank)) if f.place == "/provenance/bank_hash"]
    assert f"found {'0' * 64}" in found.message


@pytest.mark.parametrize("plant", ["key", "value", "bytes"])
def test_bytes_that_can_not_be_believed_are_not_quoted(plant: str) -> None:
    source = source_of(*PARTS)
    document: Any = read_canonical(source.rows[0].data)
    if plant == "key":
        document["case"][MARK] = 1
    else:
        document["result"]["status"] = MARK
    data = canonical_bytes(document) if plant != "bytes" else canonical_bytes(document) + MARK.encode()
    assert MARK not in told(faults(source, data))


def test_a_section_that_was_changed_is_named_also_where_it_is_withheld() -> None:
    source = source_of(*PARTS)
    document: Any = read_canonical(source.rows[0].data)
    document["case"]["question"] = MARK
    found = [fault.message for fault in faults(source, canonical_bytes(document)) if fault.code == "GATE-SEAL-001"]
    assert found == ["section case: digest differs"]


def test_a_run_that_nobody_planned_is_not_quoted_in_a_batch_that_withholds() -> None:
    source = source_of(*PARTS)
    document: Json = {"case": {MARK: 1}}
    stray = replace(source.rows[0], run_id="batch-1-0999", data=canonical_bytes(document))
    found = Examination(WordScanner()).examine(replace(source, rows=[*source.rows, stray])).faults
    assert found
    assert MARK not in told(found)


@pytest.mark.parametrize(
    ("place", "shown"),
    [
        ("/steps/3/tool_calls/0/arguments_parsed/zebra/code", "/steps/3/tool_calls/0/arguments_parsed"),
        ("/case/question", "/case/question"),
        ("", ""),
    ],
)
def test_a_place_ends_before_a_key_that_is_no_field(place: str, shown: str) -> None:
    assert shown_place(place) == shown
