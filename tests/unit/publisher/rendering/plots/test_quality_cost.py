from itertools import pairwise

import pytest

from publisher.rendering.plots.label import room
from publisher.rendering.plots.quality_cost import quality_cost
from publisher.rendering.plots.quality_latency import quality_latency
from tests.unit.publisher.rendering.plots.subjects import absent, cells, marks, named, plot, reason, source, subject


def test_the_front_holds_those_that_none_beats_and_the_others_have_another_shape() -> None:
    models = [
        subject("dear", 9, 10, cost="1"),
        subject("cheap", 5, 10, cost="0.1"),
        subject("beaten", 4, 10, cost="0.5"),
    ]
    drawn = plot(quality_cost(source(*models)))
    assert {name: row[-1] for name, row in cells(drawn).items()} == {"dear": "yes", "cheap": "yes", "beaten": "no"}
    assert [mark["class"] for mark in marks(drawn, "best")] == ["best diamond", "best diamond"]
    assert [mark["class"] for mark in marks(drawn, "other")] == ["other circle"]
    assert "cheap, dear" in str(drawn.description)
    assert set(named(drawn)) == {"dear", "cheap", "beaten"}


def test_between_two_models_the_front_is_level_and_never_a_slope() -> None:
    drawn = plot(quality_cost(source(subject("a", 1, 2, cost="0.1"), subject("b", 2, 2, cost="0.2"))))
    (front,) = marks(drawn, "front")
    corners = [tuple(map(float, corner)) for corner in zip(*[iter(front["d"].strip("M").split())] * 2, strict=True)]
    assert all(a[0] == b[0] or a[1] == b[1] for a, b in pairwise(corners))


def test_an_unknown_cost_is_named_below_and_is_no_point() -> None:
    models = [subject("a"), subject("b", 2, cost="0.3"), subject("unpriced", cost=None)]
    drawn = plot(quality_cost(source(*models)))
    assert absent(drawn) == {"Cost unknown": ["unpriced"]}
    assert len(marks(drawn, "best") + marks(drawn, "other")) == 2
    assert cells(drawn)["unpriced"][3:] == ("unknown", "–")


def test_a_model_that_costs_nothing_stands_at_zero() -> None:
    drawn = plot(quality_cost(source(subject("free", cost="0"), subject("paid", 2, cost="0.1"))))
    assert cells(drawn)["free"][3] == "0.00 USD"
    assert cells(drawn)["paid"][3] == "10.00 USD"
    assert not drawn.absent


def test_the_cost_is_of_a_hundred_runs_whatever_the_batch_held() -> None:
    models = [subject("small", 1, 2, cost="0.1"), subject("large", 20, 40, cost="0.1")]
    found = cells(plot(quality_cost(source(*models))))
    assert found["small"][3] == found["large"][3] == "10.00 USD"


def test_nothing_is_drawn_across_currencies() -> None:
    models = [subject("a"), subject("b", cost="0.2"), subject("c", currency="CNY"), subject("d", 2, currency="CNY")]
    first, second = quality_cost(source(*models, subject("e", currency="EUR")))
    assert [str(first.title), str(second.title)] == ["Quality against cost, in CNY", "Quality against cost, in USD"]
    assert absent(plot([first])) == {"Paid for in EUR": ["e"], "Paid for in USD": ["a", "b"]}
    assert set(cells(plot([second]))) == {"a", "b"}


def test_a_model_without_a_valid_run_is_named_below() -> None:
    broken = subject("broken", 0, 0, planned=2)
    drawn = plot(quality_cost(source(subject("a"), subject("b"), broken)))
    assert absent(drawn) == {"No valid run": ["broken"]}
    assert cells(drawn)["broken"][:3] == ("no valid run", "–", "0 / 2")


@pytest.mark.parametrize(
    ("models", "why"),
    [
        ([subject("a")], "there is only one model"),
        ([subject("a", cost="0"), subject("b", cost="0")], "every known cost is 0"),
        ([subject("a", cost=None), subject("b", cost=None)], "no model has both a known cost and a valid run"),
        ([subject("a"), subject("b", cost=None)], "only one model has both a known cost and a valid run"),
        ([subject("a"), subject("b", currency="CNY")], "no two models were paid for in one currency"),
    ],
)
def test_a_plot_of_cost_that_would_show_nothing_says_why(models: list, why: str) -> None:  # type: ignore[type-arg]
    assert reason(quality_cost(source(*models))) == why


def test_equal_models_share_a_point_and_the_front() -> None:
    drawn = plot(quality_cost(source(subject("a"), subject("b"), subject("c"))))
    assert {row[-1] for row in cells(drawn).values()} == {"yes"}
    assert len({mark["d"] for mark in marks(drawn, "best")}) == 1


@pytest.mark.parametrize(("passed", "valid"), [(0, 20), (20, 20), (0, 1), (1, 1)])
def test_none_or_all_passed_of_one_or_many_stays_within_the_plot(passed: int, valid: int) -> None:
    drawn = plot(quality_cost(source(subject("a", passed, valid), subject("b", passed, valid, cost="0.7"))))
    for mark in marks(drawn, "whisker"):
        assert 0 <= float(mark["y2"]) <= float(mark["y1"]) <= drawn.height
    for mark in marks(drawn, "grid"):
        assert all(0 <= float(mark[name]) <= drawn.width for name in ("x1", "x2"))


def test_of_two_hundred_models_all_are_points_and_rows_and_some_have_labels() -> None:
    models = [subject(f"model {n}", n % 41, 40, cost=f"0.{n + 1:03}") for n in range(200)]
    drawn = plot(quality_cost(source(*models)))
    assert len(marks(drawn, "best") + marks(drawn, "other")) == len(drawn.table.rows) == 200
    assert 1 <= len(named(drawn)) < 100
    assert not marks(drawn, "whisker")
    assert not any(mark.title for mark in drawn.marks)


def test_latency_is_drawn_in_seconds_and_its_front_is_the_fastest() -> None:
    drawn = plot(quality_latency(source(subject("slow", 2, latency=9000), subject("fast", 1, latency=1500))))
    assert {name: row[3:] for name, row in cells(drawn).items()} == {
        "slow": ("9.0\u00a0s", "yes"),
        "fast": ("1.5\u00a0s", "yes"),
    }
    assert "median latency, seconds" in [str(mark.text) for mark in drawn.marks]


@pytest.mark.parametrize(
    ("models", "why"),
    [
        ([subject("a")], "there is only one model"),
        ([subject("a"), subject("b", 0, 0, planned=1)], "fewer than two models have a valid run"),
        ([subject("a", latency=0), subject("b", latency=0)], "every latency is 0"),
    ],
)
def test_a_plot_of_latency_that_would_show_nothing_says_why(models: list, why: str) -> None:  # type: ignore[type-arg]
    assert reason(quality_latency(source(*models))) == why


def test_the_fastest_that_passes_nothing_is_not_on_the_front() -> None:
    models = [subject("useless", 0, 10, latency=1), subject("slow", 9, 10, latency=9000), subject("fast", 5, 10)]
    drawn = plot(quality_latency(source(*models)))
    assert {name: row[-1] for name, row in cells(drawn).items()} == {"useless": "no", "slow": "yes", "fast": "yes"}
    assert "fast, slow." in str(drawn.description)


def test_where_nothing_passes_there_is_no_front() -> None:
    drawn = plot(quality_latency(source(subject("a", 0, 10), subject("b", 0, 10, latency=2000))))
    assert not marks(drawn, "front") + marks(drawn, "best")
    assert "Nothing passes, so there is no front." in str(drawn.description)


def test_no_label_is_crossed_by_the_line_of_the_front() -> None:
    rates = [(1, 200), (2, 400), (9, 600), (9, 900), (10, 1000), (3, 1100)]
    drawn = plot(
        quality_latency(
            source(*(subject(f"Model {n}B long name", p, 10, latency=ms) for n, (p, ms) in enumerate(rates)))
        )
    )
    (front,) = marks(drawn, "front")
    corners = [tuple(map(float, corner)) for corner in zip(*[iter(front["d"].strip("M").split())] * 2, strict=True)]
    labels = [(dict(mark.attributes), str(mark.text)) for mark in drawn.marks if ("class", "name") in mark.attributes]
    assert len(labels) > 3
    for attributes, text in labels:
        wide, x, base = room(text) / 10, float(attributes["x"]), float(attributes["y"])
        left = x - {"start": 0, "middle": wide / 2, "end": wide}[attributes.get("text-anchor", "start")]
        for (x1, y1), (x2, y2) in pairwise(corners):
            beyond = max(x1, x2) <= left or min(x1, x2) >= left + wide
            assert beyond or max(y1, y2) <= base - 10 or min(y1, y2) >= base + 2, text
