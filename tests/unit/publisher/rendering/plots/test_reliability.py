from itertools import pairwise

import pytest

from publisher.rendering.plots.reliability import reliability
from publisher.rendering.plots.subject import Subject
from tests.unit.publisher.rendering.plots.subjects import absent, cells, marks, named, plot, reason, source, subject


def repeated(name: str, *units: tuple[int, int]) -> Subject:
    return subject(name, units=units, repeats=3)


def test_each_line_is_pass_hat_k_over_k() -> None:
    steady, lucky = repeated("steady", (3, 3), (0, 3)), repeated("lucky", (2, 3), (1, 3))
    drawn = plot(reliability(source(steady, lucky, repeats=3)))
    assert cells(drawn)["steady"][:3] == ("50.0\u00a0%",) * 3
    assert cells(drawn)["lucky"][:3] == ("50.0\u00a0%", "16.7\u00a0%", "0.0\u00a0%")
    lines = [mark["d"].strip("M").split() for mark in marks(drawn, "line")]
    assert len({*lines[0][1::2]}) == 1
    assert [float(y) for y in lines[1][1::2]] == sorted(float(y) for y in lines[1][1::2])


def test_lines_differ_in_dash_and_sign_and_each_has_its_name_at_its_end() -> None:
    models = [repeated(f"model {n}", (3, 3)) for n in range(4)]
    drawn = plot(reliability(source(*models, repeats=3)))
    assert [mark["class"] for mark in marks(drawn, "line")][:3] == ["line dash-0", "line dash-1", "line dash-2"]
    assert len({mark["class"] for mark in marks(drawn, "other")}) == 4
    heights = sorted(float(dict(m.attributes)["y"]) for m in drawn.marks if ("class", "name") in m.attributes)
    assert all(after - before >= 14 for before, after in pairwise(heights))


def test_where_a_repeat_is_missing_there_is_no_line_and_the_model_is_named() -> None:
    drawn = plot(reliability(source(repeated("whole", (3, 3)), repeated("broken", (1, 1), (3, 3)), repeats=3)))
    assert absent(drawn) == {"pass^k withheld, valid repeats are missing": ["broken"]}
    assert cells(drawn)["broken"][1:3] == ("withheld", "withheld")


def test_a_line_ends_at_the_last_k_that_every_case_has() -> None:
    drawn = plot(reliability(source(repeated("short", (2, 2), (3, 3)), repeats=3)))
    (line,) = marks(drawn, "line")
    assert len(line["d"].strip("M").split()) == 4


def test_of_two_hundred_models_all_have_lines_and_those_with_room_their_names() -> None:
    models = [repeated(f"model {n}", *([(3, 3)] * n + [(0, 3)] * (200 - n))) for n in range(200)]
    drawn = plot(reliability(source(*models, repeats=3)))
    assert len(marks(drawn, "line")) == 200
    assert 5 <= len(named(drawn)) <= 20


@pytest.mark.parametrize(
    ("models", "repeats", "why"),
    [
        ([subject("a", units=[(1, 1)])], 1, "each case was tried once, so nothing shows how often all tries pass"),
        ([subject("a")], 3, "the report is from before it held statistics"),
        ([repeated("a", (1, 1))], 3, "valid repeats are missing, so pass^k is withheld"),
    ],
)
def test_reliability_that_would_show_nothing_says_why(models: list[Subject], repeats: int, why: str) -> None:
    assert reason(reliability(source(*models, repeats=repeats))) == why
