"""Which rates a call has, by its size and its start, and which prices can't be read in one way only."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from dataset.artifacts.price import Price


def rates(number: int, **more: Any) -> dict[str, Any]:
    return {"input_per_million": str(number), "output_per_million": str(number), **more}


def make_price(**fields: Any) -> Price:
    return Price.model_validate({**rates(1), "currency": "USD", "as_of": "2026-01-31", "source": "s", **fields})


TIERS = [rates(2, above_input_tokens=100), rates(3, above_input_tokens=200)]
NIGHT = rates(5, **{"from": "16:30", "to": "00:30"})
NOON = rates(7, **{"from": "12:00", "to": "13:00", "tiers": [rates(8, above_input_tokens=150)]})
WHOLE = make_price(tiers=TIERS, hours=[{**NIGHT, "tiers": []}, NOON])


@pytest.mark.parametrize(("tokens", "rate"), [(0, "1"), (100, "1"), (101, "2"), (200, "2"), (201, "3"), (10**9, "3")])
def test_the_highest_tier_that_is_exceeded_counts(tokens: int, rate: str) -> None:
    assert WHOLE.rates_of(tokens, "2026-03-31T08:00:00.000Z").input_per_million == rate


@pytest.mark.parametrize(
    ("clock", "rate"),
    [
        ("16:29:59.999", "3"),
        ("16:30:00.000", "5"),
        ("23:59:59.999", "5"),
        ("00:00:00.000", "5"),
        ("00:29:59.999", "5"),
        ("00:30:00.000", "3"),
        ("12:59:59.999", "8"),
    ],
)
def test_a_window_counts_from_its_first_minute_until_before_its_last_also_past_midnight(clock: str, rate: str) -> None:
    assert WHOLE.rates_of(1000, f"2026-03-31T{clock}Z").input_per_million == rate


def test_every_rates_within_reach_are_named() -> None:
    assert [found.input_per_million for found in WHOLE.rates_up_to(150)] == ["1", "2", "5", "7"]
    assert [found.input_per_million for found in WHOLE.rates_up_to(151)] == ["1", "2", "5", "7", "8"]


def test_a_price_reads_back_as_it_was_written() -> None:
    assert Price.model_validate_json(WHOLE.model_dump_json()) == WHOLE
    assert Price.model_validate(WHOLE.body()).digest() == WHOLE.digest()


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"tiers": [TIERS[1], TIERS[0]]}, "in order"),
        ({"tiers": [TIERS[0], TIERS[0]]}, "in order"),
        ({"tiers": [rates(1, above_input_tokens=0)]}, "greater than or equal to 1"),
        ({"hours": [NIGHT, {**NOON, "from": "00:29"}]}, "overlap"),
        ({"hours": [NIGHT, NIGHT]}, "overlap"),
        ({"hours": [{**NIGHT, "to": "16:30"}]}, "can't end when it starts"),
        ({"hours": [{**NIGHT, "zone": "CET"}]}, "UTC"),
        ({"hours": [{**NIGHT, "from": "24:00"}]}, "pattern"),
        ({"hours": [NIGHT], "tiers": TIERS}, "give each window its own tiers"),
        ({"input_per_million": "-1"}, "pattern"),
        ({"input_per_million": "1" * 41}, "at most 40"),
        ({"as_of": "2026-02-31"}, "no day of the calendar"),
        ({"source": ""}, "at least 1"),
    ],
)
def test_a_price_that_can_be_read_in_two_ways_or_in_none_is_refused(fields: dict[str, Any], told: str) -> None:
    with pytest.raises(ValidationError, match=told):
        make_price(**fields)


def test_windows_that_touch_do_not_overlap() -> None:
    assert make_price(hours=[NIGHT, rates(6, **{"from": "00:30", "to": "16:30"})]).hours
