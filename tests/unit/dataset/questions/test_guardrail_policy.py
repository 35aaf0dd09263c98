from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import ValidationError

from dataset.questions.guardrail_pattern import compile_bounded, expand
from dataset.questions.guardrail_policy import DOCUMENTS, GuardrailPolicy, GuardrailPolicyError, policy_from_documents

FINANCE = Path(__file__).parents[4] / "dataset" / "packs" / "finance" / "guardrails"


@pytest.fixture(scope="module")
def finance() -> dict[str, Any]:
    return {name: yaml.safe_load((FINANCE / f"{name}.yaml").read_text("utf-8")) for name in DOCUMENTS}


def test_finance_pack_documents_make_a_policy(finance: dict[str, Any]) -> None:
    policy = policy_from_documents(finance)

    assert policy.id == "guardrails"
    assert policy.version == sum(finance[name]["version"] for name in DOCUMENTS)


def test_policy_is_frozen_and_its_digest_follows_its_content(finance: dict[str, Any]) -> None:
    changed = copy.deepcopy(finance)
    changed["number_grounding"]["zh"]["placeholder"] = "[待核实]"

    policy = policy_from_documents(finance)

    assert policy.digest() == policy_from_documents(finance).digest()
    assert policy.digest() != policy_from_documents(changed).digest()
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


@pytest.mark.parametrize(
    ("change", "place", "message"),
    [
        (_pattern("(buy"), "personal_advice.yaml en.patterns", "2.regex: not a regular expression"),
        (_pattern("buy.*now"), "personal_advice.yaml en.patterns", "2.regex: unbounded repetition '*'"),
        (_pattern("{{verb}} it"), "personal_advice.yaml en.patterns", "2.regex: unknown term 'verb'"),
        (_cue, "forbidden_operation.yaml zh.cues", "negation.patterns.0: not a regular expression"),
        (_unknown_cue, "forbidden_operation.yaml en.patterns", "0.unless names no cue group: negated"),
        (_extra_key, "number_grounding.yaml fr", "Extra inputs"),
        (_digit, "number_grounding.yaml en.placeholder", "no digit"),
        (_digit_in_statement, "personal_advice.yaml zh.statement", "no digit"),
        (_missing, "personal_advice.yaml", "Field required"),
    ],
)
def test_fault_is_named_with_its_file_and_key(
    finance: dict[str, Any], change: Callable[[dict[str, Any]], None], place: str, message: str
) -> None:
    documents = copy.deepcopy(finance)
    change(documents)

    with pytest.raises(GuardrailPolicyError) as caught:
        policy_from_documents(documents)

    assert place in caught.value.message
    assert message in caught.value.message
    assert caught.value.code == "GUARD-POLICY-001"


def test_every_fault_is_listed_at_once(finance: dict[str, Any]) -> None:
    documents = copy.deepcopy(finance)
    _cue(documents)
    _digit(documents)

    with pytest.raises(GuardrailPolicyError) as caught:
        policy_from_documents(documents)

    assert {fault.document for fault in caught.value.faults} == {"forbidden_operation", "number_grounding"}


def test_versions_that_add_up_to_more_than_a_version_may_be_are_refused(finance: dict[str, Any]) -> None:
    documents = copy.deepcopy(finance)
    for name in DOCUMENTS:
        documents[name]["version"] = 9999

    with pytest.raises(ValidationError, match="more than 9999"):
        GuardrailPolicy.model_validate(documents)


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
