"""A tool that does what is forbidden can't be described, whatever it calls itself."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest
from pydantic import ValidationError

from dataset.tools.tool import FORBIDDEN_SEMANTICS, FORBIDDEN_VERBS, Tool
from tests.factories.loop import CATALOGUE, tool


@pytest.mark.parametrize("semantics", FORBIDDEN_SEMANTICS)
def test_forbidden_semantics_are_refused(semantics: str) -> None:
    with pytest.raises(ValidationError, match="can't be registered"):
        tool("quote", semantics=semantics)


def test_unknown_semantics_are_refused_with_the_known_ones() -> None:
    with pytest.raises(ValidationError, match="known: market_data"):
        tool("quote", semantics="whatever")


@pytest.mark.parametrize("verb", FORBIDDEN_VERBS)
@pytest.mark.parametrize("shape", ["{}", "{}_fund", "fund_{}", "my_{}_now"])
def test_a_name_that_says_a_forbidden_operation_is_refused(verb: str, shape: str) -> None:
    with pytest.raises(ValidationError, match="forbidden operation in the name"):
        tool(shape.format(verb))


@pytest.mark.parametrize("name", ["account_orders", "trading_calendar", "buyback_history", "seller_profile", "quote"])
def test_names_that_only_contain_such_letters_are_fine(name: str) -> None:
    assert tool(name).name == name


@pytest.mark.parametrize("name", ["Quote", "quote-latest", "1quote", "", "q" * 65, "报价"])
def test_a_name_is_an_identifier(name: str) -> None:
    with pytest.raises(ValidationError):
        tool(name)


@pytest.mark.parametrize(
    ("parameters", "fault"),
    [
        ({"type": "object"}, "additionalProperties"),
        ({"type": "object", "additionalProperties": True}, "additionalProperties"),
        ({"type": "array", "additionalProperties": False}, "additionalProperties"),
        ({"type": "object", "additionalProperties": False, "properties": {"x": {"type": "text"}}}, "not a JSON Schema"),
    ],
)
def test_parameters_are_a_closed_object_schema(parameters: dict[str, Any], fault: str) -> None:
    with pytest.raises(ValidationError, match=fault):
        tool("quote", parameters=parameters)


@pytest.mark.parametrize(
    "changes",
    [{"access": "pure"}, {"access": "read", "function": "decimal_calculator/1"}, {"function": "calculator"}],
)
def test_only_a_pure_tool_names_its_function(changes: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        tool("quote", **changes)


def test_the_model_sees_name_description_and_schema_and_nothing_else() -> None:
    own = tool("quote")
    form = own.function_form("zh")
    assert form == {
        "type": "function",
        "function": {"name": "quote", "description": own.description.zh, "parameters": tool("quote").parameters},
    }


def test_a_changed_tool_has_another_hash() -> None:
    assert tool("quote").digest() == tool("quote").digest()
    assert tool("quote", requires_login=True).digest() != tool("quote").digest()
    assert isinstance(tool("quote"), Tool)


def test_a_permission_is_held_by_those_it_names_and_an_unknown_one_by_nobody() -> None:
    assert CATALOGUE.holds("assessed", "logged_in_assessed")
    assert not CATALOGUE.holds("assessed", "logged_in")
    assert not CATALOGUE.holds("missing", "logged_in_assessed")


DATED = tool(
    "rate",
    parameters={
        "type": "object",
        "additionalProperties": False,
        "required": ["date"],
        "properties": {"date": {"type": "string", "format": "date"}, "unit": {"type": "integer"}},
    },
)


def test_fitting_arguments_have_no_fault() -> None:
    assert DATED.argument_faults({"date": "2026-03-31"}) == []


def test_every_argument_fault_is_told_with_its_place_and_formats_are_checked() -> None:
    assert DATED.argument_faults({"date": "2026-02-30", "unit": "x"}) == [
        "$.date: '2026-02-30' is not a 'date'",
        "$.unit: 'x' is not of type 'integer'",
    ]
    assert DATED.argument_faults({}) == ["$: 'date' is a required property"]


def test_argument_faults_are_few_and_short() -> None:
    many = DATED.model_validate(DATED.body() | {"parameters": DATED.parameters | {"required": [*"abcdefgh"]}})
    faults = many.argument_faults({"date": "z" * 9999})
    assert len(faults) == 5
    assert all(len(fault) <= 220 for fault in faults)


@pytest.mark.parametrize(
    ("argument", "value", "taken"),
    [("date", "2026-03-31", True), ("date", "2026-02-30", False), ("unit", "1", False), ("currency", "USD", False)],
)
def test_a_value_is_taken_where_the_schema_of_its_argument_says_so(argument: str, value: object, taken: bool) -> None:
    assert DATED.takes(argument, value) is taken


def test_the_validator_is_built_once_a_tool(monkeypatch: pytest.MonkeyPatch) -> None:
    built: list[object] = []
    real = jsonschema.Draft202012Validator

    def counted(*given: object, **named: object) -> object:
        built.append(given)
        return real(*given, **named)  # type: ignore[arg-type]

    own = Tool.model_validate(DATED.body())
    monkeypatch.setattr("dataset.tools.tool.jsonschema.Draft202012Validator", counted)
    for _ in range(3):
        own.argument_faults({})
        own.takes("date", "x")
    assert len(built) == 1
