import pytest

from publisher.rendering.plots.intervals import intervals
from tests.unit.publisher.rendering.plots.subjects import absent, cells, marks, named, plot, reason, source, subject


def test_each_row_has_its_interval_and_its_point_on_one_scale() -> None:
    drawn = plot(intervals(source(subject("a", 0, 10), subject("b", 10, 10))))
    low, high = marks(drawn, "interval")
    assert low["x1"] == "122"
    assert high["x2"] == "304"
    assert low["y1"] != high["y1"]
    assert cells(drawn)["a"] == ("0.0\u00a0%", "0.0\u00a0% – 27.8\u00a0%", "10 / 10")


def test_a_model_without_a_valid_run_has_no_bar_and_is_named() -> None:
    drawn = plot(intervals(source(subject("a"), subject("broken", 0, 0, planned=3))))
    assert len(marks(drawn, "interval")) == 1
    assert absent(drawn) == {"No valid run": ["broken"]}
    assert cells(drawn)["broken"] == ("no valid run", "–", "0 / 3")


def test_arms_stand_under_their_model() -> None:
    arms = [subject(f"arm-{n}", heading=f"Model {n // 2}") for n in range(4)]
    drawn = plot(intervals(source(subject("Model 0"), subject("Model 1"), arms=arms)))
    assert [str(mark.text) for mark in drawn.marks if ("class", "heading") in mark.attributes] == ["Model 0", "Model 1"]
    assert named(drawn) == ["arm-0", "arm-1", "arm-2", "arm-3"]
    assert str(drawn.title) == "Intervals side by side: arms"
    assert [row.cells[0] for row in drawn.table.rows] == ["Model 0", "Model 0", "Model 1", "Model 1"]


def test_of_two_hundred_models_every_third_is_named_and_all_have_bars() -> None:
    drawn = plot(intervals(source(*(subject(f"model {n}") for n in range(200)))))
    assert len(marks(drawn, "interval")) == len(drawn.table.rows) == 200
    assert named(drawn) == [f"model {n}" for n in range(0, 200, 3)]
    assert drawn.height < 1300
    assert drawn.keys[0].mark is not None
    assert dict(drawn.keys[0].mark.attributes)["class"] == "value"
    assert len(marks(drawn, "value")) == 200


@pytest.mark.parametrize(
    ("models", "why"),
    [
        ([subject("a")], "there is only one model"),
        ([subject("a", 0, 0, planned=1), subject("b", 0, 0, planned=1)], "no run is valid"),
    ],
)
def test_intervals_that_would_show_nothing_say_why(models: list, why: str) -> None:  # type: ignore[type-arg]
    assert reason(intervals(source(*models))) == why
