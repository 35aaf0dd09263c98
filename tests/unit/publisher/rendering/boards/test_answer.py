"""What stands above a table, from the numbers alone."""

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from publisher.rendering.boards.answer import Answer, answer_of
from publisher.rendering.boards.board import boards
from publisher.rendering.language.language import CHINESE
from publisher.rendering.snapshot.snapshot import Snapshot
from tests.factories.bank import VARIANTS
from tests.factories.boards import BoardModel, make_report, many_models, share, write_reports

Answers = Callable[..., Answer]


@pytest.fixture
def answer(tmp_path: Path) -> Answers:
    def of(*models: BoardModel, **options: object) -> Answer:
        report = make_report("batch-1", models, **options)  # type: ignore[arg-type]
        (board,) = boards(Snapshot(write_reports(tmp_path, [report])).batches)
        return answer_of(board)

    return of


def said(sentences: Iterable[object]) -> str:
    return " ".join(map(str, sentences))


BEST, GOOD, POOR = (BoardModel(key=k, passes=share(n)) for k, n in (("best", 10), ("good", 9), ("poor", 1)))


def test_the_best_is_named_with_those_that_cant_be_told_apart_from_it(answer: Answers) -> None:
    quality = said(answer(BEST, GOOD, POOR).quality)
    assert quality.startswith("Model best passes most: 100.0\u00a0% (95 % CI 83.9\u00a0% – 100.0\u00a0%).")
    assert "can't be told apart from it: Model good." in quality


def test_who_is_significantly_better_than_all_is_said_to_be(answer: Answers) -> None:
    assert "significantly more than any other" in said(answer(BEST, POOR).quality)


def test_where_nobody_can_be_told_apart_it_says_so_and_why(answer: Answers) -> None:
    tied = said(answer(BEST, GOOD).quality)
    assert tied.startswith("No model can be told apart from the best")
    assert "cases" not in tied
    assert "share fewer than 10 cases" in said(answer(BEST, POOR, cases=5).quality)


def test_of_too_many_models_to_be_tested_none_is_called_significantly_better_or_worse(tmp_path: Path) -> None:
    (board,) = boards(Snapshot(write_reports(tmp_path, [make_report("batch-1", many_models(61))])).batches)
    assert board.comparisons
    found = answer_of(board.over(lambda run: run.variant_id == "scoped-en", 10))
    assert "So many models aren't tested against one another here." in said(found.quality)
    assert len(found.value) > 1
    for words in ("significantly", "told apart", "chance"):
        assert words not in said(found.quality + found.value)


def test_a_lone_model_is_not_called_the_best(answer: Answers) -> None:
    assert said(answer(GOOD).quality).startswith("One model stands here: Model good passes 90.0")
    broken = BoardModel(key="broken", passes=lambda planned: None)
    assert said(answer(GOOD, broken).quality).startswith("Only one model has a valid run: Model good passes 90.0")


def test_without_a_valid_run_nothing_is_said(answer: Answers) -> None:
    found = answer(BoardModel(key="broken", passes=lambda planned: None))
    assert said(found.quality) == "No run is valid, so nothing can be said of any model."
    assert not found.value + found.sureness


def test_a_script_beside_a_model_is_no_answer(answer: Answers) -> None:
    script = BoardModel(key="script", synthetic=True, passes=share(10), cost="0.0001")
    assert "script" not in said(answer(script, GOOD, POOR).quality + answer(script, GOOD, POOR).value)
    assert "script" in said(answer(script).quality)


def test_the_best_value_is_the_least_cost_for_each_task_passed_with_the_front(answer: Answers) -> None:
    dear = BoardModel(key="dear", passes=share(10), cost="0.05")
    cheap = BoardModel(key="cheap", passes=share(8), cost="0.01")
    beaten = BoardModel(key="beaten", passes=share(2), cost="0.02")
    value = said(answer(dear, cheap, beaten).value)
    assert value.startswith(
        "Model cheap, at 0.0125 USD for each task passed: 100 tasks cost 1.00 USD, and 80.0\u00a0% of"
    )
    assert "It can't be told apart from the one that passes most." in value
    assert "more than these: Model dear (100.0\u00a0%, 5.00 USD), Model cheap (80.0\u00a0%, 1.00 USD)." in value
    assert "beaten" not in value


def test_a_cheap_model_that_passes_much_less_is_said_to(answer: Answers) -> None:
    value = said(answer(BEST, BoardModel(key="cheap", passes=share(1), cost="0.0001")).value)
    assert "Model cheap, at 0.001 USD" in value
    assert "significantly less than the best" in value


def test_without_a_cost_it_says_so_and_offers_time(answer: Answers) -> None:
    slow = BoardModel(key="slow", passes=share(9), cost=None, latency=lambda planned: 9000)
    fast = BoardModel(key="fast", passes=share(5), cost=None, latency=lambda planned: 800)
    useless = BoardModel(key="useless", passes=share(0), cost=None, latency=lambda planned: 1)
    value = said(answer(slow, fast, useless).value)
    assert value.startswith("No cost is known, so value can't be told in money.")
    assert "Model slow (90.0\u00a0%, 9.0\u00a0s), Model fast (50.0\u00a0%, 800\u00a0ms)." in value
    assert "useless" not in value
    assert value.endswith("hardware, load and concurrency aren't recorded.")


def test_a_cost_of_nothing_is_no_value_either(answer: Answers) -> None:
    assert said(answer(BoardModel(key="a", cost="0"), BoardModel(key="b", cost="0")).value).startswith(
        "Every known cost is 0."
    )


def test_nothing_that_passes_has_no_value(answer: Answers) -> None:
    assert said(answer(BoardModel(key="a", passes=share(0))).value) == "Nothing passes, so nothing has a value."


def test_each_currency_has_its_own_best_and_the_unknown_are_counted(answer: Answers) -> None:
    value = said(
        answer(
            BEST,
            BoardModel(key="yuan", passes=share(7), currency="CNY"),
            BoardModel(key="unpriced", passes=share(4), cost=None),
        ).value
    )
    assert "Paid for in USD: Model best" in value
    assert "Paid for in CNY: Model yuan" in value
    assert "The cost of one model is unknown." in value


def test_how_sure_it_is_tells_the_widest_interval_and_what_broke(answer: Answers) -> None:
    broken = BoardModel(key="broken", passes=lambda planned: None if planned.case_id == "case-1" else True)
    assert said(answer(BEST, broken, variants=VARIANTS[:1]).sureness) == (
        "Each rate is known to ±15.0\u00a0pp at worst: 10 cases, one run of each for each model. "
        "1 of 20 runs are missing or invalid."
    )


def test_several_runs_of_a_case_are_not_taken_as_independent(answer: Answers) -> None:
    told = said(answer(GOOD, POOR, repeats=4).sureness)
    assert told.startswith(
        "Each rate is known to ±19.6\u00a0pp at worst: 10 cases, 80 planned runs for each model, where"
    )
    assert "take runs as independent" in told


def test_many_runs_of_few_cases_say_nothing_of_others(answer: Answers) -> None:
    assert said(answer(BEST, POOR, cases=3, repeats=12).sureness) == (
        "3 cases, 72 planned runs for each model: too few to generalise beyond them. "
        "The intervals in the table take runs as independent: they speak of these cases alone."
    )


def test_where_all_share_one_range_it_says_that_there_is_no_order(answer: Answers) -> None:
    words = "No order among these 3 is supported by the evidence."
    tied = [BoardModel(key=f"m{n}", passes=share(n)) for n in (8, 9, 10)]
    assert words in said(answer(*tied).quality)
    assert words not in said(answer(BEST, GOOD, POOR).quality)


def test_many_tied_models_are_counted(answer: Answers) -> None:
    models = [BoardModel(key=f"m{n}", passes=share(9)) for n in range(8)]
    quality = said(answer(*models, POOR, cases=30).quality)
    assert "Model m1, Model m2, Model m3 and 4 more" in quality


def test_the_answer_is_said_in_chinese(answer: Answers) -> None:
    found = answer(BEST, GOOD, POOR)
    assert CHINESE.said(found.quality[0]).startswith("通过率最高的是 Model best：100.0\u00a0%（95 % 置信区间")


def test_a_name_that_cant_be_seen_is_named_and_stays_on_one_line(answer: Answers) -> None:
    hostile = BoardModel(key="hostile", name="a\u202eb\nc <script>%(model)s", passes=share(9))
    assert "a[U+202E]b c <script>%(model)s passes" in said(answer(hostile).quality)
