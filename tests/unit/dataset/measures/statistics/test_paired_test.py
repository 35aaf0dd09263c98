"""Tests of paired outcomes against published worked examples and scipy."""

from __future__ import annotations

from decimal import Decimal
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, binomtest

from dataset.measures.statistics.paired_test import holm, mcnemar, minimum_detectable, sign_flip

Z_90 = Decimal("1.2815515655446004")


def test_mcnemar_gives_the_published_values() -> None:
    # Fay, "Exact McNemar's test and matching confidence intervals" (vignette of R's exact2x2): 9 against 2.
    assert float(mcnemar(9, 2)) == pytest.approx(0.06543, abs=5e-6)
    # Agresti (1990), "Categorical Data Analysis", p. 350: 150 against 86; statsmodels' mcnemar(exact=True): 3.716e-05.
    assert float(mcnemar(150, 86)) == pytest.approx(3.716e-05, abs=5e-9)


@given(st.integers(0, 300), st.integers(0, 300))
def test_mcnemar_equals_scipy_and_has_no_side(one: int, other: int) -> None:
    expected = binomtest(one, one + other).pvalue if one + other else 1.0
    assert float(mcnemar(one, other)) == pytest.approx(expected, rel=1e-9)
    assert mcnemar(one, other) == mcnemar(other, one)


@given(st.integers(0, 60), st.integers(0, 60), st.integers(0, 20))
def test_with_one_pair_a_case_the_sign_flip_test_is_mcnemar(ahead: int, behind: int, level: int) -> None:
    found = sign_flip([1] * ahead + [-1] * behind + [0] * level)
    assert float(found) == pytest.approx(float(mcnemar(ahead, behind)), rel=1e-9)


@given(st.lists(st.integers(-4, 4), min_size=1, max_size=9))
def test_the_sign_flip_test_counts_all_ways_to_swap(differences: list[int]) -> None:
    ways = [
        sum(s * d for s, d in zip(signs, differences, strict=True))
        for signs in product((1, -1), repeat=len(differences))
    ]
    expected = sum(abs(way) >= abs(sum(differences)) for way in ways) / len(ways)
    assert float(sign_flip(differences)) == pytest.approx(expected)


def test_the_same_pairs_in_fewer_cases_are_weaker_evidence() -> None:
    assert mcnemar(0, 12) < sign_flip([3] * 4) == Decimal("0.125")


def test_holm_gives_the_worked_example() -> None:
    # The four p-values of R's p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm").
    found = holm([Decimal(p) for p in ("0.01", "0.04", "0.03", "0.005")])
    assert found == [Decimal(p) for p in ("0.03", "0.06", "0.06", "0.02")]
    assert holm([]) == []


@given(st.lists(st.decimals(0, 1, places=4), min_size=1, max_size=20))
def test_holm_only_raises_keeps_the_order_and_stays_a_probability(p_values: list[Decimal]) -> None:
    found = holm(p_values)
    assert all(p <= adjusted <= 1 for p, adjusted in zip(p_values, found, strict=True))
    ranked = sorted(zip(p_values, found, strict=True))
    assert [adjusted for _, adjusted in ranked] == sorted(found)
    assert min(found) == min(1, min(p_values) * len(p_values))


@pytest.mark.parametrize(
    ("discordance", "pairs", "z_power", "difference"),
    [
        # Duffy (1984), Biometrics 40:1005-1015: 0.125 against 0.25 needs 248 pairs for a power of 90 %.
        ("0.375", 248, Z_90, 0.125),
        # Validated in R's MESS: 0.05 against 0.45 needs 22 pairs for a power of 80 %.
        ("0.5", 22, None, 0.4),
    ],
)
def test_the_detectable_effect_inverts_published_sample_sizes(
    discordance: str, pairs: int, z_power: Decimal | None, difference: float
) -> None:
    more = {} if z_power is None else {"z_power": z_power}
    found = minimum_detectable(Decimal(discordance), Decimal(pairs), **more)
    assert found is not None
    assert float(found) == pytest.approx(difference, abs=5e-4)


def test_hardly_differing_pairs_take_all_differences_in_one_direction() -> None:
    found = minimum_detectable(Decimal("0.02"), Decimal(50))
    assert found is not None
    # n d = (z_alpha + z_beta sqrt(1 - d))²
    assert float(found) * 50 == pytest.approx((1.959964 + 0.841621 * (1 - float(found)) ** 0.5) ** 2, abs=1e-4)


def test_the_detectable_effect_has_about_the_promised_power_in_the_exact_test() -> None:
    pairs, discordance = 100, 0.3
    least = float(minimum_detectable(Decimal("0.3"), Decimal(pairs)) or 0)
    ahead, power = (discordance + least) / 2 / discordance, 0.0
    for differing in range(pairs + 1):
        found = sum(
            float(binom.pmf(k, differing, ahead)) for k in range(differing + 1) if mcnemar(k, differing - k) <= 0.05
        )
        power += float(binom.pmf(differing, pairs, discordance)) * found
    assert power == pytest.approx(0.8, abs=0.05)


@given(st.decimals("0.01", 1, places=3), st.integers(10, 5000))
def test_more_pairs_detect_less_and_never_more_than_everything(discordance: Decimal, pairs: int) -> None:
    few, many = (minimum_detectable(discordance, Decimal(n)) for n in (pairs, 2 * pairs))
    assert few is not None
    assert many is not None
    assert 0 < many < few <= 1


def test_four_pairs_detect_hardly_anything_and_three_nothing() -> None:
    assert minimum_detectable(Decimal("0.5"), Decimal("3.8")) is None
    assert (minimum_detectable(Decimal("0.5"), Decimal(4)) or 0) > Decimal("0.98")
