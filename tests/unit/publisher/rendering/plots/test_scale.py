from decimal import Decimal, getcontext, localcontext

import pytest
from hypothesis import given
from hypothesis import strategies as st

from publisher.rendering.plots.axis import amounts
from publisher.rendering.plots.marks import written
from publisher.rendering.plots.scale import LinearScale, LogScale, amount_scale, around, share_scale, tick_step

amount = st.decimals("0", "1000000000", places=6)


@pytest.mark.parametrize(
    ("tenths", "text"), [(0, "0"), (120, "12"), (125, "12.5"), (-5, "-0.5"), (-10, "-1"), (3, "0.3")]
)
def test_a_length_is_written_with_one_decimal_at_most(tenths: int, text: str) -> None:
    assert written(tenths) == text


def test_a_value_between_two_tenths_goes_to_the_even_one() -> None:
    scale = LinearScale(low=Decimal(0), high=Decimal(4), start=0, end=10, ticks=())
    assert [scale.at(Decimal(value)) for value in (1, 2, 3)] == [2, 5, 8]


def test_a_scale_may_go_upwards() -> None:
    scale = share_scale(0, 100, 1000, 0, every=50)
    assert [scale.at(tick) for tick in scale.ticks] == [1000, 500, 0]


@pytest.mark.parametrize(
    ("high", "step"), [("1", "0.2"), ("0.7", "0.2"), ("10", "2"), ("11", "5"), ("26", "10"), ("0.00031", "0.0001")]
)
def test_a_tick_is_one_two_or_five_times_a_power_of_ten(high: str, step: str) -> None:
    assert tick_step(Decimal(high)) == Decimal(step)


def test_amounts_that_lie_close_stand_on_a_line_from_zero() -> None:
    scale = amount_scale([Decimal("1.5"), Decimal("4.2")], 0, 1000)
    assert isinstance(scale, LinearScale)
    assert amounts(scale.ticks) == ("0", "1", "2", "3", "4", "5")


def test_amounts_that_lie_far_apart_stand_by_their_ratio() -> None:
    scale = amount_scale([Decimal("0.02"), Decimal("3")], 0, 900)
    assert isinstance(scale, LogScale)
    assert [scale.at(value) for value in scale.ticks] == [0, 300, 600, 900]
    assert amounts(scale.ticks) == ("0.01", "0.1", "1", "10")


def test_zero_beside_amounts_that_lie_far_apart_has_a_place_of_its_own() -> None:
    scale = amount_scale([Decimal(0), Decimal("0.01"), Decimal(10)], 0, 1000)
    assert scale.at(Decimal(0)) == 0
    assert scale.at(Decimal("0.01")) == 240
    assert amounts(scale.ticks)[:2] == ("0", "0.01")


@pytest.mark.parametrize("values", [["0"], ["0", "0"], ["7", "7"], ["1000000"], ["0.000001"]])
def test_equal_amounts_have_a_scale_too(values: list[str]) -> None:
    scale = amount_scale([Decimal(value) for value in values], 100, 900)
    assert all(100 <= scale.at(Decimal(value)) <= 900 for value in values)
    assert len(scale.ticks) >= 2


@given(st.lists(amount, min_size=1, max_size=8))
def test_every_amount_stands_within_the_scale_in_its_order(values: list[Decimal]) -> None:
    scale = amount_scale(values, 400, 3000)
    places = [scale.at(value) for value in sorted(values)]
    assert places == sorted(places)
    assert all(400 <= place <= 3000 for place in places)
    assert 2 <= len(scale.ticks) <= 8
    assert all(400 <= scale.at(tick) <= 3000 for tick in scale.ticks)


def test_the_precision_that_a_caller_works_with_moves_no_point() -> None:
    values = [Decimal("0.0123456789"), Decimal("987.654321")]
    expected = [amount_scale(values, 0, 9999).at(value) for value in values]
    with localcontext() as context:
        context.prec = 3
        assert getcontext().prec == 3
        assert [amount_scale(values, 0, 9999).at(value) for value in values] == expected


@pytest.mark.parametrize(
    ("shares", "range_"),
    [
        (["0.81", "0.97"], (80, 100)),
        (["0.5", "0.5"], (50, 70)),
        (["1"], (80, 100)),
        (["0"], (0, 20)),
        (["0", "1"], (0, 100)),
    ],
)
def test_shares_lie_within_whole_tens_at_least_twenty_apart(shares: list[str], range_: tuple[int, int]) -> None:
    assert around([Decimal(share) for share in shares]) == range_
