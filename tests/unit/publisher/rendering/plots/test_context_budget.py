from dataclasses import replace

import pytest

from dataset.artifacts.definition import FrozenModel
from dataset.measures.group import measure_group
from dataset.questions.variant import ContextStrategy, Variant
from dataset.record import VariantId
from publisher.rendering.bars import pass_rate_bar
from publisher.rendering.batches.arm_grid import arm_grids
from publisher.rendering.batches.group import Group
from publisher.rendering.plots.context_budget import context_budget
from publisher.rendering.plots.source import ArmGrid, PlotSource
from tests.factories.bank import make_model
from tests.unit.publisher.rendering.plots.subjects import absent, facts, marks, named, plot, reason, source

MODEL: FrozenModel = make_model("careful")


def arm(strategy: ContextStrategy, budget: int, tokens: int | None, *, valid: bool = True, reserve: int = 0) -> Group:
    variant = Variant(
        id=VariantId(f"{strategy}-{budget}"),
        version=1,
        title="An arm",
        locale="en",
        tool_delivery="scoped",
        context_strategy=strategy,
        context_budget=budget,
        context_reserve=reserve or None,
        prompt="assistant",
        prompt_version=1,
    )
    run = facts(1, verdict="pass" if valid else "invalid", original_tokens=9000, working_tokens=tokens)
    measures = measure_group(1, [run])
    return Group(model=MODEL, variant=variant, measures=measures, bar=pass_rate_bar(measures), runs=(run,))


def of(*groups: Group) -> PlotSource:
    return replace(source(), grids=tuple(ArmGrid(title="", grid=grid) for grid in arm_grids(groups)))


FOUR = (
    arm("full", 4000, None, reserve=500),
    arm("full", 8000, 6000),
    arm("budgeted", 4000, 3000),
    arm("budgeted", 8000, 6000),
)


def test_each_strategy_has_a_row_for_each_budget_with_rate_and_tokens() -> None:
    drawn = plot(context_budget(of(*FOUR)))
    assert [str(mark.text) for mark in drawn.marks if ("class", "heading") in mark.attributes] == ["full", "budgeted"]
    assert named(drawn) == ["4,000 − 500", "8,000", "4,000", "8,000"]
    assert len(marks(drawn, "interval")) == 4
    widths = [float(mark["width"]) for mark in marks(drawn, "given")]
    assert widths[0] == widths[2] == 2 * widths[1]


def test_where_no_context_was_opened_there_are_no_tokens_and_it_says_so() -> None:
    drawn = plot(context_budget(of(*FOUR)))
    assert [str(mark.text) for mark in drawn.marks if ("class", "count") in mark.attributes] == [
        "none",
        "6,000",
        "3,000",
        "6,000",
    ]
    assert tuple(map(str, drawn.table.rows[0].cells)) == (
        "full",
        "100.0\u00a0%",
        "20.6\u00a0% – 100.0\u00a0%",
        "1 / 1",
        "no context opened",
    )


def test_an_arm_without_a_valid_run_is_named_below() -> None:
    drawn = plot(context_budget(of(*FOUR[1:], arm("full", 4000, 3000, valid=False))))
    assert absent(drawn) == {"No valid run": ["4,000"]}


@pytest.mark.parametrize("groups", [FOUR[:1], FOUR[:2], FOUR[1::2], ()])
def test_arms_that_differ_in_less_than_both_are_not_drawn(groups: tuple[Group, ...]) -> None:
    assert reason(context_budget(of(*groups))) == "the arms don't differ in both context strategy and budget"


def test_arms_that_are_all_invalid_are_not_drawn() -> None:
    broken = [arm(strategy, budget, 1, valid=False) for strategy in ("full", "budgeted") for budget in (4000, 8000)]
    assert reason(context_budget(of(*broken))) == "no run is valid"
