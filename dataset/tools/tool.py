"""One tool: its JSON Schema, what it touches, who may call it, and what answers for it."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Annotated, Any, Literal

import jsonschema
from pydantic import Field, field_validator, model_validator

from dataset.canonical import canonical_text, sha256_hex
from dataset.errors import GlassbenchError
from dataset.record import LOCALES, Identifier, Locale, Localised, Record, Schema, Version

Access = Literal["read", "write", "pure"]
"""`read` replays a frozen fixture, `pure` computes from its arguments, `write` is never executed."""

FORBIDDEN_SEMANTICS = ("trade_execution", "order_placement", "order_cancellation", "funds_transfer")
"""What no registered tool may do; the database holds the same list in a CHECK."""
FORBIDDEN_VERBS = (
    "buy",
    "sell",
    "purchase",
    "subscribe",
    "redeem",
    "liquidate",
    "rebalance",
    "transfer",
    "wire",
    "remit",
    "pay",
    "withdraw",
    "deposit",
    "trade",
    "execute",
    "place_order",
    "submit_order",
    "create_order",
    "cancel_order",
    "amend_order",
    "modify_order",
    "new_order",
    "order_place",
    "order_submit",
    "order_create",
    "order_cancel",
    "order_amend",
)
FORBIDDEN_NAME = rf"(^|_)({'|'.join(FORBIDDEN_VERBS)})(_|$)"
"""A name that says a forbidden operation is refused too, whatever semantics it claims."""

# Named one by one: what the library knows depends on which packages are installed beside it.
_FORMATS = jsonschema.FormatChecker(("date", "email", "ipv4", "ipv6", "regex", "uuid"))

Semantics = Literal[
    "market_data",
    "reference_data",
    "account_data",
    "fee_data",
    "news",
    "knowledge",
    "computation",
    "account_note",
]


class ForbiddenToolError(GlassbenchError):
    """A tool whose semantics or name is on the forbidden list."""

    code = "TOOL-FORBIDDEN-001"


class Tool(Record):
    """A versioned tool. `parameters` is a JSON Schema (2020-12) whose root is a closed object."""

    name: Identifier
    version: Version
    access: Access
    semantics: str
    description: Localised
    parameters: Schema
    requires_login: bool = False
    permission: Identifier | None = None
    untrusted_output: bool = False
    function: Annotated[str, Field(pattern=r"^[a-z_]+/[0-9]+$")] | None = None

    @field_validator("semantics")
    @classmethod
    def _is_allowed(cls, value: str) -> str:
        if value in FORBIDDEN_SEMANTICS:
            raise ValueError(f"forbidden semantics {value!r}: such a tool can't be registered")
        if value not in Semantics.__args__:  # type: ignore[attr-defined]
            raise ValueError(f"unknown semantics {value!r}; known: {', '.join(Semantics.__args__)}")  # type: ignore[attr-defined]
        return value

    @field_validator("name")
    @classmethod
    def _names_no_forbidden_operation(cls, value: str) -> str:
        if re.search(FORBIDDEN_NAME, value):
            raise ValueError(f"forbidden operation in the name {value!r}: such a tool can't be registered")
        return value

    @field_validator("parameters")
    @classmethod
    def _is_a_closed_object_schema(cls, value: Schema) -> Schema:
        try:
            jsonschema.Draft202012Validator.check_schema(value)
        except jsonschema.SchemaError as error:
            raise ValueError(f"not a JSON Schema: {error.message} at {error.json_path}") from error
        if value.get("type") != "object" or value.get("additionalProperties") is not False:
            raise ValueError("the root must be `type: object` with `additionalProperties: false`")
        return value

    @model_validator(mode="after")
    def _is_answered_by_one_thing(self) -> Tool:
        if (self.access == "pure") != (self.function is not None):
            raise ValueError("a pure tool names its `function`, and only a pure tool does")
        return self

    @cached_property
    def _validator(self) -> jsonschema.Draft202012Validator:
        return jsonschema.Draft202012Validator(self.parameters, format_checker=_FORMATS)

    def argument_faults(self, arguments: Any) -> list[str]:
        """Why arguments don't fit the schema, as `JSON path: reason`, by path, at most five; empty where they do."""
        found = self._validator.iter_errors(arguments)
        errors = sorted(found, key=lambda error: (list(map(str, error.absolute_path)), error.message))
        return [f"{error.json_path}: {error.message[:200]}" for error in errors[:5]]

    def takes(self, argument: str, value: Any) -> bool:
        """Whether a value fits what the schema says about one argument; False for an argument that it doesn't name."""
        properties = self.parameters.get("properties", {})
        return argument in properties and self._validator.evolve(schema=properties[argument]).is_valid(value)

    def function_form(self, locale: Locale) -> dict[str, Any]:
        """The tool in the OpenAI function form, described in one language: what a model is given."""
        return {
            "type": "function",
            "function": {
                "name": self.name,
                "description": self.description.to(locale),
                "parameters": self.parameters,
            },
        }

    def form_text(self, locale: Locale) -> str:
        """The canonical function form as text: what a token counter counts."""
        return self._form_texts[locale]

    def form_hash(self, locale: Locale) -> str:
        """sha256 of the canonical function form."""
        return self._form_hashes[locale]

    @cached_property
    def _form_texts(self) -> dict[Locale, str]:
        return {locale: canonical_text(self.function_form(locale), allow_floats=True) for locale in LOCALES}

    @cached_property
    def _form_hashes(self) -> dict[Locale, str]:
        return {locale: sha256_hex(self.form_text(locale).encode()) for locale in LOCALES}
