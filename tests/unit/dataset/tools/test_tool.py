"""A tool that does what is forbidden can't be described, whatever it calls itself."""

from __future__ import annotations

from typing import Any

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
    form = tool("quote").function_form("Latest price.")
    assert form == {
        "type": "function",
        "function": {"name": "quote", "description": "Latest price.", "parameters": tool("quote").parameters},
    }


def test_a_changed_tool_has_another_hash() -> None:
    assert tool("quote").digest() == tool("quote").digest()
    assert tool("quote", requires_login=True).digest() != tool("quote").digest()
    assert isinstance(tool("quote"), Tool)


def test_a_permission_is_held_by_those_it_names_and_an_unknown_one_by_nobody() -> None:
    assert CATALOGUE.holds("assessed", "logged_in_assessed")
    assert not CATALOGUE.holds("assessed", "logged_in")
    assert not CATALOGUE.holds("missing", "logged_in_assessed")
