from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import ValidationError

from dataset.questions.guardrail_pattern import compile_bounded, expand
from dataset.questions.guardrail_policy import DOCUMENTS, GuardrailPolicy

FINANCE = Path(__file__).parents[4] / "dataset" / "packs" / "finance" / "guardrails"


@pytest.fixture(scope="module")
def finance() -> dict[str, Any]:
    documents = {name: yaml.safe_load((FINANCE / f"{name}.yaml").read_text("utf-8")) for name in DOCUMENTS}
    return {"version": 3, **documents}


def test_finance_pack_documents_make_a_policy(finance: dict[str, Any]) -> None:
    policy = GuardrailPolicy.model_validate(finance)

    assert policy.id == "guardrails"
    assert policy.version == 3


def test_policy_is_frozen_and_its_digest_follows_its_content(finance: dict[str, Any]) -> None:
    changed = copy.deepcopy(finance)
    changed["number_grounding"]["zh"]["placeholder"] = "[待核实]"

    policy = GuardrailPolicy.model_validate(finance)

    assert policy.digest() == GuardrailPolicy.model_validate(finance).digest()
    assert policy.digest() != GuardrailPolicy.model_validate(changed).digest()
    with pytest.raises(ValidationError):
        policy.number_grounding = None  # type: ignore[assignment,misc]


def _pattern(regex: str) -> Callable[[dict[str, Any]], None]:
    def change(documents: dict[str, Any]) -> None:
        documents["personal_advice"]["en"]["patterns"][2]["regex"] = regex

    return change


def _cue(documents: dict[str, Any]) -> None:
    documents["forbidden_operation"]["zh"]["cues"]["negation"]["patterns"][0] = "不("


def _unknown_cue(documents: dict[str, Any]) -> None:
    documents["forbidden_operation"]["en"]["patterns"][0]["unless"] = ["negated"]


def _extra_key(documents: dict[str, Any]) -> None:
    documents["number_grounding"]["fr"] = {}


def _digit(documents: dict[str, Any]) -> None:
    documents["number_grounding"]["en"]["placeholder"] = "[figure 1]"


def _digit_in_statement(documents: dict[str, Any]) -> None:
    documents["personal_advice"]["zh"]["statement"] = "请致电12345。"


def _missing(documents: dict[str, Any]) -> None:
    del documents["personal_advice"]


def _own_version(documents: dict[str, Any]) -> None:
    documents["personal_advice"]["version"] = 1


@pytest.mark.parametrize(
    ("change", "place", "message"),
    [
        (_pattern("(buy"), "personal_advice.en.patterns", "2.regex: not a regular expression"),
        (_pattern("buy.*now"), "personal_advice.en.patterns", "2.regex: unbounded repetition '*'"),
        (_pattern("{{verb}} it"), "personal_advice.en.patterns", "2.regex: unknown term 'verb'"),
        (_cue, "forbidden_operation.zh.cues", "negation.patterns.0: not a regular expression"),
        (_unknown_cue, "forbidden_operation.en.patterns", "0.unless names no cue group: negated"),
        (_extra_key, "number_grounding.fr", "Extra inputs"),
        (_own_version, "personal_advice.version", "Extra inputs"),
        (_digit, "number_grounding.en.placeholder", "no digit"),
        (_digit_in_statement, "personal_advice.zh.statement", "no digit"),
        (_missing, "personal_advice", "Field required"),
    ],
)
def test_fault_is_named_with_its_document_and_key(
    finance: dict[str, Any], change: Callable[[dict[str, Any]], None], place: str, message: str
) -> None:
    documents = copy.deepcopy(finance)
    change(documents)

    with pytest.raises(ValidationError) as caught:
        GuardrailPolicy.model_validate(documents)

    [fault] = caught.value.errors()
    assert ".".join(map(str, fault["loc"])) == place
    assert message in fault["msg"]


@pytest.mark.parametrize(
    "pattern",
    ["a*", "a+", "a{2,}", "a{0,41}", "(?:ab){0,6}", "[a+]{1,99}", "x?", ""],
)
def test_pattern_that_could_run_away_or_match_nothing_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match=r"repetition|empty text"):
        compile_bounded(pattern)


@pytest.mark.parametrize(
    ("pattern", "text"), [(r"a\+", "a+"), ("[*+]x", "+x"), ("(?:ab){1,5}", "ababab"), ("a{3}", "aaa"), (r"\{b", "{b")]
)
def test_bounded_pattern_is_compiled(pattern: str, text: str) -> None:
    assert compile_bounded(pattern).fullmatch(text)


def test_terms_are_filled_in_as_groups_also_inside_terms() -> None:
    assert expand("{{act}} it", {"act": "buy|{{sale}}", "sale": "sell"}) == "(?:buy|(?:sell)) it"


def test_terms_that_name_each_other_are_refused() -> None:
    with pytest.raises(ValueError, match="refer to each other"):
        expand("{{a}}", {"a": "{{b}}", "b": "{{a}}"})
