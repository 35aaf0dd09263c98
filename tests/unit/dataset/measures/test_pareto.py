from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from dataset.measures.pareto import pareto_front

points = st.lists(st.tuples(st.decimals(0, 5, places=0), st.decimals(0, 5, places=0)), max_size=12)


def beats(one: tuple[Decimal, Decimal], other: tuple[Decimal, Decimal]) -> bool:
    return one != other and one[0] <= other[0] and one[1] >= other[1]


@given(points)
def test_the_front_is_exactly_those_that_no_other_beats(found: list[tuple[Decimal, Decimal]]) -> None:
    unbeaten = {
        place for place, point in enumerate(found) if point[1] and not any(beats(other, point) for other in found)
    }
    assert set(pareto_front(found)) == unbeaten
    assert len(pareto_front(found)) == len(unbeaten)


def test_the_front_stands_cheapest_first() -> None:
    assert pareto_front([(Decimal(3), Decimal(9)), (Decimal(1), Decimal(2)), (Decimal(2), Decimal(1))]) == (1, 0)


def test_what_has_no_value_is_on_no_front_however_cheap() -> None:
    assert pareto_front([(Decimal(0), Decimal(0)), (Decimal(2), Decimal(1))]) == (1,)
    assert pareto_front([(Decimal(0), Decimal(0))]) == ()
