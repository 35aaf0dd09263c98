import pytest

from dataset.measures.group import GroupMeasures
from dataset.measures.run_price import cost_per_hundred


def measures(cost: str | None, recorded: int) -> GroupMeasures:
    counts = {"planned": recorded, "recorded": recorded, "valid": 0, "passed": 0, "failed": 0, "invalid": recorded}
    return GroupMeasures(
        **counts,
        pass_rate_low=None,
        pass_rate_high=None,
        metrics={"cost": cost},
        currency=cost and "USD",
        failure_reasons={},
        invalid_reasons={},
    )


@pytest.mark.parametrize(
    ("cost", "recorded", "expected"),
    [
        ("0.5", 50, "1"),
        ("0.5", 200, "0.25"),
        ("1", 3, "33.3333333333"),
        ("12000", 1, "1200000"),
        ("0", 7, "0"),
        ("0.000", 7, "0"),
        (None, 7, None),
        (None, 0, None),
    ],
)
def test_the_cost_is_brought_to_a_hundred_recorded_runs(cost: str | None, recorded: int, expected: str | None) -> None:
    assert cost_per_hundred(measures(cost, recorded)) == expected
