"""Faults of the registry are told in words of a person, whatever the fault is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from dataset.measures.exchange import FxSnapshot
from engine.providers.model_entry import ModelEntry
from engine.providers.price_entry import PriceEntry
from engine.providers.registry_fault import PATTERN_WORDS, Place, validation_faults
from engine.providers.toml_lines import TableLines, table_lines

RECORDS = (ModelEntry, PriceEntry, FxSnapshot)
RAW_WORDS = ("Input should", "String should", "Field required", "Extra inputs", "Value error", "List should", "Tuple")
SETTINGS = sorted(
    {name for record in RECORDS for name in record.model_fields} | {"from", "to", "tiers", "read", "seed"}
)

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.times(),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(SETTINGS), inner, max_size=3),
    max_leaves=8,
)


def patterns(schema: Any) -> Iterator[str]:
    """Every pattern that a JSON Schema holds text to."""
    if isinstance(schema, dict):
        if isinstance(schema.get("pattern"), str):
            yield schema["pattern"]
        for inner in schema.values():
            yield from patterns(inner)
    elif isinstance(schema, list):
        for inner in schema:
            yield from patterns(inner)


def test_every_pattern_of_a_registry_record_has_words() -> None:
    used = {pattern for record in RECORDS for pattern in patterns(record.model_json_schema())}
    assert used == set(PATTERN_WORDS)


@given(st.sampled_from(RECORDS), st.dictionaries(st.sampled_from(SETTINGS), values, max_size=6))
def test_no_fault_is_told_in_the_words_of_the_validator(record: type[Any], table: dict[str, Any]) -> None:
    place = Place(file=Path("models.toml"), kind="models", name=None, lines=TableLines(start=1))
    try:
        record.model_validate(table)
    except ValidationError as error:
        for fault in validation_faults(place, record, error):
            assert not any(words in fault.message for words in RAW_WORDS), fault.message


def test_lines_of_tables_inside_tables_are_counted_in_order() -> None:
    text = """\
[[prices]]
id = "a"
[[prices.hours]]
from = "1"
[[prices.hours]]
from = "2"

[other]
from = "3"
[[ prices ]]
"id" = "b"
hours.from = "4"
"""
    first, second = table_lines(text, ["prices", "models"])["prices"]
    assert [first.of(path) for path in ("id", "hours.0.from", "hours.1.from", "hours.1.to", "nothing")] == [
        2,
        4,
        6,
        5,
        1,
    ]
    assert [second.of(path) for path in ("id", "hours.from", "hours.to")] == [11, 12, 10]
