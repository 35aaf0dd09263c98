import pytest

from publisher.rendering.plots.failure_reasons import failure_reasons
from publisher.rendering.plots.subject import Subject
from tests.unit.publisher.rendering.plots.subjects import absent, cells, marks, plot, reason, source, subject


def test_a_run_counts_once_under_each_of_its_reasons() -> None:
    reasons = [("answer.number.a", "answer.number.b", "tool.must.c"), ("answer.number.a",)]
    drawn = plot(failure_reasons(source(subject("a", 2, 4, reasons=reasons))))
    assert cells(drawn)["a"] == ("2", "4 / 4", "answer.number 2, tool.must 1")
    assert [(key.letter, str(key.text)) for key in drawn.keys[1:]] == [
        ("A", "answer.number: 2 runs"),
        ("B", "tool.must: one run"),
    ]


def test_a_bar_is_the_share_of_the_valid_runs() -> None:
    models = [subject("half", 1, 2, reasons=[["x.y"]]), subject("all", 0, 8, reasons=[["x.y"]])]
    drawn = plot(failure_reasons(source(*models)))
    widths = [float(mark["width"]) for mark in marks(drawn, "failing")]
    full = float(marks(drawn, "track")[0]["width"])
    assert widths == [full / 2, full]


def test_a_model_that_never_failed_has_a_nought_and_no_bar() -> None:
    drawn = plot(failure_reasons(source(subject("good", 2, 2), subject("bad", 0, 1, reasons=[["x.y"]]))))
    assert len(marks(drawn, "failing")) == 1
    assert [str(mark.text) for mark in drawn.marks if ("class", "count") in mark.attributes] == ["0", "1"]
    assert cells(drawn)["good"] == ("0", "2 / 2", "–")


def test_beyond_six_kinds_the_table_has_the_rest() -> None:
    many = subject("a", 0, 1, reasons=[[f"kind.{n}" for n in range(9)]])
    drawn = plot(failure_reasons(source(many)))
    assert len(marks(drawn, "track")) == 6
    assert str(drawn.keys[-1].text) == "3 more kinds in the table"
    assert "kind.8 1" in cells(drawn)["a"][2]


def test_a_model_without_a_valid_run_is_named_below() -> None:
    models = [subject("bad", 0, 1, reasons=[["x.y"]]), subject("broken", 0, 0, planned=2)]
    assert absent(plot(failure_reasons(source(*models)))) == {"No valid run": ["broken"]}


def test_of_two_hundred_models_all_have_rows_in_little_room() -> None:
    drawn = plot(failure_reasons(source(*(subject(f"m {n}", 0, 1, reasons=[["x.y"]]) for n in range(200)))))
    assert len(marks(drawn, "failing")) == len(drawn.table.rows) == 200
    assert drawn.height < 1300


@pytest.mark.parametrize(
    ("model", "why"),
    [(subject("a", 2, 2), "no valid run failed"), (subject("a", 0, 0, planned=1), "no run is valid")],
)
def test_reasons_that_would_show_nothing_say_why(model: Subject, why: str) -> None:
    assert reason(failure_reasons(source(model))) == why
