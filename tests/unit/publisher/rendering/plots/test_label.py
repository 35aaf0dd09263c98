from itertools import pairwise

from publisher.rendering.plots.label import clipped, labels_of, room
from publisher.rendering.plots.placement import Area, beside_points, spread
from tests.unit.publisher.rendering.plots.subjects import subject


def test_a_short_name_is_its_own_label() -> None:
    assert clipped("Qwen 0.5B") == "Qwen 0.5B"


def test_a_long_name_loses_its_middle() -> None:
    assert clipped("Qwen2.5-Coder 0.5B Instruct (llama.cpp, Q4)") == "Qwen2.5-Co…Q4)"


def test_a_chinese_letter_takes_the_room_of_two() -> None:
    assert room("通义千问") == room("12345678")
    assert len(clipped("通义千问大模型超长名称")) <= 8


def test_lines_and_unseen_characters_of_a_name_are_named_or_joined() -> None:
    assert clipped("a\n\tb") == "a b"
    assert "\u202e" not in clipped("x\u202ey")


def test_a_label_leaves_out_what_tells_least() -> None:
    names = [
        "Qwen2.5-Coder 1.5B Instruct (llama.cpp, Q4)",
        "Qwen2.5-Coder 0.5B Instruct (llama.cpp, Q4)",
        "Gemma 3 270M (pretrained, llama.cpp)",
        "SmolLM2 135M Instruct (llama.cpp, Q4)",
    ]
    assert labels_of([subject(name) for name in names]) == (
        "Qwen2.5-Co…1.5B",
        "Qwen2.5-Co…0.5B",
        "Gemma 3 270M",
        "SmolLM2 135M",
    )


def test_a_name_of_brackets_alone_is_kept() -> None:
    assert labels_of([subject(" (a)"), subject("")]) == ("(a)", "")


def test_names_that_would_read_alike_show_where_they_differ() -> None:
    names = [f"Some very long model name, size {number} large" for number in (1, 2)]
    assert labels_of([subject(name) for name in names]) == ("Some 1", "Some 2")


def test_one_model_in_two_batches_bears_the_end_of_each() -> None:
    twice = [subject("Model", place=f"model batch-{number}") for number in (1, 2)]
    assert labels_of(twice) == ("Model …atch-1", "Model …atch-2")


def test_what_nothing_tells_apart_is_numbered() -> None:
    assert labels_of([subject("Model"), subject("Model")]) == ("Model #1", "Model #2")


def test_a_label_goes_where_nothing_stands_and_another_that_has_no_room_is_left_out() -> None:
    area = Area(left=0, top=0, right=3000, bottom=2000)
    apart = beside_points([(1000, 1000), (1000, 1500)], ["one", "two"], [0, 1], area, set())
    assert [mark.text for mark in apart] == ["one", "two"]
    crowd = [(1000, 1000)] * 30
    kept = beside_points(crowd, [f"model {number}" for number in range(30)], range(30), area, set())
    assert 1 <= len(kept) <= 4
    assert kept[0].text == "model 0"


def test_labels_are_moved_apart_but_stay_within() -> None:
    places = spread([500, 500, 510, 2000], least=140, top=0, bottom=1000)
    assert places is not None
    assert sorted(places) == places
    assert all(after - before >= 140 for before, after in pairwise(places))
    assert places[-1] <= 1000
    assert spread([0] * 9, least=140, top=0, bottom=1000) is None
