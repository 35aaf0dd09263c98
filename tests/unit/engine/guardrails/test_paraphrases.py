"""Recall and false positives on paraphrases: the figures that the guardrails are held to."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import pytest
import yaml

from dataset.questions.guardrail_policy import GuardrailPolicy
from dataset.record import LOCALES, Locale
from engine.guardrails.chain import OutputGuardrails
from engine.guardrails.forbidden_operation import ForbiddenOperationGuard
from engine.guardrails.interface import AnswerContext, Evidence, OutputGuard
from engine.guardrails.number_grounding import NumberGroundingGuard
from engine.guardrails.personal_advice import PersonalAdviceGuard

DATA = Path(__file__).parents[3] / "data" / "guardrails"
FEWEST = 60
RECALL = 0.95
FALSE_POSITIVES = 0.03
# Measured on texts that no pattern was adjusted to, written to avoid every wording that the patterns know: caught of
# HELD_OUT offences, wronged of as many clean texts. docs/reference/guardrails.md tells the same figures.
HELD_OUT = 20
HELD_OUT_CAUGHT = {
    ("forbidden_operation", "en"): 2,
    ("forbidden_operation", "zh"): 2,
    ("personal_advice", "en"): 1,
    ("personal_advice", "zh"): 0,
}
HELD_OUT_WRONGED = {
    ("forbidden_operation", "en"): 0,
    ("forbidden_operation", "zh"): 0,
    ("personal_advice", "en"): 1,
    ("personal_advice", "zh"): 0,
}

Part = Literal["tuning", "held_out"]
Wording = Literal["forbidden_operation", "personal_advice"]
WORDINGS: tuple[Wording, ...] = ("forbidden_operation", "personal_advice")


def _read(guard: str, language: Locale) -> dict[str, Any]:
    document: dict[str, Any] = yaml.safe_load((DATA / f"{guard}_{language}.yaml").read_text("utf-8"))
    return document


def _guard(name: Wording, policy: GuardrailPolicy) -> OutputGuard:
    if name == "forbidden_operation":
        return ForbiddenOperationGuard(policy.forbidden_operation)
    return PersonalAdviceGuard(policy.personal_advice)


def _flagged(guard: OutputGuard, texts: list[str], language: Locale) -> list[str]:
    context = AnswerContext(locale=language, question="", tool_results=())
    return [text for text in texts if guard.check(text, context).verdict == "rewrite"]


@pytest.mark.parametrize("language", LOCALES)
@pytest.mark.parametrize("name", WORDINGS)
def test_wording_guard_meets_recall_and_false_positive_floors_on_known_wordings(
    name: Wording, language: Locale, policy: GuardrailPolicy
) -> None:
    document, guard = _read(name, language), _guard(name, policy)
    positives, negatives = document["tuning"]["flagged"], document["tuning"]["clean"]

    caught = _flagged(guard, positives, language)
    wronged = _flagged(guard, negatives, language)

    assert min(len(positives), len(negatives)) >= FEWEST
    assert len(caught) / len(positives) >= RECALL, sorted(set(positives) - set(caught))
    assert len(wronged) / len(negatives) <= FALSE_POSITIVES, wronged


@pytest.mark.parametrize("language", LOCALES)
@pytest.mark.parametrize("name", WORDINGS)
def test_documented_figures_on_held_out_texts_are_the_measured_ones(
    name: Wording, language: Locale, policy: GuardrailPolicy
) -> None:
    document, guard = _read(name, language)["held_out"], _guard(name, policy)

    caught = _flagged(guard, document["flagged"], language)
    wronged = _flagged(guard, document["clean"], language)

    assert len(document["flagged"]) == len(document["clean"]) == HELD_OUT
    assert (len(caught), len(wronged)) == (HELD_OUT_CAUGHT[name, language], HELD_OUT_WRONGED[name, language])


@pytest.mark.parametrize("part", ["tuning", "held_out"])
@pytest.mark.parametrize("language", LOCALES)
def test_number_grounding_corrects_exactly_what_has_no_source(
    part: Part, language: Locale, policy: GuardrailPolicy
) -> None:
    document, guard = _read("number_grounding", language), NumberGroundingGuard(policy.number_grounding)
    assert len(document["tuning"]) + len(document["held_out"]) >= FEWEST

    wrong = {
        case["answer"]: text
        for case in document[part]
        if (text := guard.check(case["answer"], _context(case, language)).text) != _expected(case)
    }

    assert wrong == {}


@pytest.mark.parametrize("language", LOCALES)
@pytest.mark.parametrize("name", ["number_grounding", *WORDINGS])
def test_no_paraphrase_is_corrected_twice(name: str, language: Locale, guardrails: OutputGuardrails) -> None:
    document = _read(name, language)
    for part in ("tuning", "held_out"):
        cases = document[part]
        answers = (
            [case["answer"] for case in cases] if isinstance(cases, list) else [*cases["flagged"], *cases["clean"]]
        )
        for answer in answers:
            context = AnswerContext(locale=language, question="", tool_results=())
            once = guardrails.apply(answer, context).text
            assert guardrails.apply(once, context).text == once


def _context(case: dict[str, str], language: Locale) -> AnswerContext:
    results = (Evidence(step=1, tool="lookup", text=case["tool"]),) if "tool" in case else ()
    return AnswerContext(locale=language, question=case["question"], tool_results=results)


def _expected(case: dict[str, str]) -> str:
    return case.get("expected", case["answer"])
