"""What is said of a test: its p, over how many comparisons, and why the interval can seem to say otherwise."""

from dataset.measures.statistics.contrast import ContrastStatistics
from publisher.rendering.compare.finding import finding_of


def statistics(**changes: object) -> ContrastStatistics:
    known: dict[str, object] = dict.fromkeys(ContrastStatistics.model_fields)
    known |= {"id": "models", "model_key": "pair", "pairs": 20, "cases": 20, "withheld": {}}
    known |= {"significant": False, "permutation_p": "0.0625", "difference_low": "0.03", "difference_high": "0.42"}
    return ContrastStatistics.model_validate(known | changes)


def said(found: ContrastStatistics, *, family: int, differing: int) -> str:
    return " ".join(map(str, finding_of(found, family=family, differing=differing)))


def test_an_interval_without_zero_beside_no_finding_is_explained() -> None:
    told = said(statistics(permutation_p="0.021"), family=6, differing=20)
    assert told.startswith(
        "Not significant: chance alone may explain it. p = 0.021, but more than 0.05 once adjusted for 6"
    )
    assert "is no contradiction" in told
    assert "too few" not in told
    assert "contradiction" not in said(statistics(difference_low="-0.03"), family=6, differing=20)


def test_fewer_differing_cases_than_it_takes_are_said_to_be_too_few() -> None:
    told = said(statistics(), family=6, differing=5)
    assert "Only 5 cases came out differently: too few to be significant over 6 comparisons." in told
    assert "Only one case came out differently: too few to be significant." in said(statistics(), family=1, differing=1)
    none = said(statistics(), family=6, differing=0)
    assert "No case came out differently." in none
    assert "too few" not in none
    assert "too few" not in said(statistics(), family=6, differing=8)


def test_the_adjusted_p_stands_beside_it_where_there_is_one() -> None:
    told = said(statistics(permutation_p="0.001", permutation_p_holm="0.006", significant=True), family=6, differing=14)
    assert told == "Significant: more than chance. p = 0.001, adjusted for 6 comparisons p = 0.006."


def test_without_a_test_nothing_is_said() -> None:
    assert said(statistics(significant=None, permutation_p=None), family=6, differing=5) == ""
