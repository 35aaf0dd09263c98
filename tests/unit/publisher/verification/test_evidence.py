from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from typing import Any

import pytest

from dataset.artifacts.artifact import Artifact, ContextItemRecord, CorrectionRecord, GuardrailCheck
from dataset.artifacts.digest import open_artifact
from dataset.artifacts.outside_text import Base64Text, keep
from dataset.canonical import sha256_hex
from publisher.verification.evidence import evidence_differences
from tests.factories import make_batch

ARTIFACTS = [open_artifact(data) for data in make_batch().artifacts.values()]
PASSED = next(artifact for artifact in ARTIFACTS if artifact.judgment.verdict == "pass")
REWRITTEN = next(artifact for artifact in ARTIFACTS if artifact.judgment.verdict == "fail")


def places(artifact: Artifact) -> list[str]:
    return [difference.place for difference in evidence_differences(artifact)]


def with_check(artifact: Artifact, check: GuardrailCheck) -> Artifact:
    return artifact.model_copy(update={"guardrail_checks": (*artifact.guardrail_checks[:-1], check)})


def with_corrections(changes: Sequence[CorrectionRecord], *, final_output: str | None = None) -> Artifact:
    """The rewritten run with other corrections, and all counts to match."""
    check = REWRITTEN.guardrail_checks[-1].model_copy(update={"corrections": tuple(changes)})
    result = REWRITTEN.result.model_copy(
        update={
            "corrections": len(changes),
            "final_output": REWRITTEN.result.final_output if final_output is None else final_output,
        }
    )
    return with_check(REWRITTEN, check).model_copy(update={"result": result})


def with_item(**changes: Any) -> Artifact:
    """The passed run with its note changed."""
    items = [
        item.model_copy(update=changes) if item.category == "note" else item  # position 1
        for item in PASSED.context.items
    ]
    return with_context(items=tuple(items))


def with_context(**changes: Any) -> Artifact:
    return PASSED.model_copy(update={"context": PASSED.context.model_copy(update=changes)})


def correction(start: int, end: int, original: str, replacement: str = "[…]") -> CorrectionRecord:
    return CorrectionRecord(start=start, end=end, original=original, replacement=replacement, reason="r")


def test_honest_runs_show_nothing() -> None:
    assert [places(artifact) for artifact in ARTIFACTS] == [[] for _ in ARTIFACTS]


def test_a_rewrite_without_corrections_explains_no_other_answer() -> None:
    found = places(with_corrections([], final_output="The model was right all along: 1.2345."))
    assert "/guardrail_checks/5/corrections" in found
    assert "/result/final_output" in found


def test_an_allowed_answer_with_corrections_is_found() -> None:
    check = PASSED.guardrail_checks[-1]
    assert (check.point, check.verdict) == ("response", "allow")
    position = len(PASSED.guardrail_checks) - 1
    changed = check.model_copy(update={"corrections": (correction(0, 3, "The", "A"),)})
    found = places(with_check(PASSED, changed))
    assert f"/guardrail_checks/{position}/corrections" in found
    assert "/result/final_output" in found


@pytest.mark.parametrize(
    ("changes", "position"),
    [
        ([correction(0, 2, "Is")], 0),
        ([correction(0, 3, "It")], 0),
        ([correction(0, 2, "It"), correction(1, 4, "t s")], 1),
        ([correction(3, 9, "should"), correction(0, 2, "It")], 1),
        ([correction(2, 0, "")], 0),
        ([correction(900, 901, "x")], 0),
    ],
    ids=["another original", "too long", "overlap", "out of order", "backwards", "behind the end"],
)
def test_a_correction_of_what_does_not_stand_there_is_found(changes: list[CorrectionRecord], position: int) -> None:
    assert f"/guardrail_checks/5/corrections/{position}" in places(with_corrections(changes))


def test_an_answer_that_its_corrections_do_not_make_is_found() -> None:
    found = places(with_corrections(REWRITTEN.guardrail_checks[-1].corrections, final_output="It should be 1.2345."))
    assert "/result/final_output" in found
    assert "/guardrail_checks/5/corrections" not in found


def test_a_context_text_that_is_not_its_digest_is_found() -> None:
    assert places(with_item(text="A note that was never there.")) == ["/context/items/1/sha256"]
    assert places(with_item(sha256="0" * 64)) == ["/context/items/1/sha256"]


def test_a_context_text_without_unicode_form_is_hashed_by_its_bytes() -> None:
    raw = b"\xff note"
    assert places(with_item(text=keep(raw), sha256=sha256_hex(raw))) == []
    as_written = Base64Text(data=b64encode(raw).decode())
    assert places(with_item(text=as_written, sha256=sha256_hex(as_written.data.encode()))) == [
        "/context/items/1/sha256"
    ]


def test_only_a_system_prompt_may_be_withheld() -> None:
    assert places(with_item(text=None)) == ["/context/items/1/text"]


@pytest.mark.parametrize("field", ["original_tokens", "working_tokens", "required_total"])
def test_a_sum_over_the_context_that_its_items_do_not_give_is_found(field: str) -> None:
    value = getattr(PASSED.context, field) + 1
    assert f"/context/{field}" in places(with_context(**{field: value}))


def test_an_item_left_out_of_the_context_is_missed_in_its_sums() -> None:
    items: tuple[ContextItemRecord, ...] = PASSED.context.items[:-1]
    found = places(with_context(items=items))
    assert {"/context/original_tokens", "/context/working_tokens", "/context/required_total"} <= set(found)
