"""Arms that differ in two axes or more, as tables: one axis down, one across, a table for what remains."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from dataset.questions.variant import VARIANT_AXES, ToolDelivery, Variant, differing_axes
from publisher.rendering.batches.group import Group
from publisher.rendering.language.message import Joined, Message, Sayable, marked

AXES_DOWN = (
    marked("context strategy"),
    marked("tool delivery"),
    marked("prompt"),
    marked("language"),
    marked("context budget"),
)
"""Which axis goes down before which others; the last of them that varies goes across. They are message ids."""
_LANGUAGES = {"en": Message("English"), "zh": Message("Chinese")}

Label = str | Sayable


@dataclass(frozen=True, kw_only=True, slots=True)
class GridRow:
    """One value of the axis that goes down, and for each column the groups that have both values."""

    label: Label
    cells: tuple[tuple[Group, ...], ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Grid:
    """One table. `fixed` are the values of the remaining axes, which all of its groups share; empty without any."""

    down: str
    across: str
    fixed: Label
    columns: tuple[Label, ...]
    rows: tuple[GridRow, ...]


def arm_grids(groups: Sequence[Group]) -> tuple[Grid, ...]:
    """The tables of one model's groups; none where they don't differ in at least two axes."""
    axes = varied_axes([group.variant for group in groups if group.variant is not None])
    if len(axes) < 2:
        return ()
    down = next(axis for axis in AXES_DOWN if axis in axes)
    across = next(axis for axis in reversed(AXES_DOWN) if axis in axes)
    rest = tuple(axis for axis in axes if axis not in (down, across))
    tables: dict[Label, list[Group]] = {}
    for group in groups:
        if group.variant is not None:
            fixed: Label = Joined(tuple(axis_value(axis, group.variant) for axis in rest)) if rest else ""
            tables.setdefault(fixed, []).append(group)
    return tuple(_grid(down, across, fixed, own) for fixed, own in tables.items())


def varied_axes(variants: Sequence[Variant]) -> tuple[str, ...]:
    """The axes in which any two of some variants differ, in the order of `VARIANT_AXES`."""
    found = {axis: None for one, other in combinations(variants, 2) for axis in differing_axes(one, other)}
    return tuple(axis for axis in VARIANT_AXES if axis in found)


def axis_value(axis: str, variant: Variant) -> Label:
    """What a variant has in an axis of `VARIANT_AXES`, in words."""
    return _VALUES[axis](variant)


def _strategy(variant: Variant) -> Label:
    window, strategy = variant.context_window, variant.context_strategy
    return strategy if window is None else Message("%(strategy)s, last %(count)s", strategy=strategy, count=window)


def _budget(variant: Variant) -> Label:
    budget, reserve = variant.context_budget, variant.context_reserve
    if reserve is None:
        return Message("%(count)s tokens", count=budget)
    return Message("%(count)s tokens, %(kept)s kept free", count=budget, kept=reserve)


_DELIVERIES: Mapping[ToolDelivery, Label] = {
    "scoped": Message("tools of the scene"),
    "search": Message("tools by search"),
}
_VALUES: dict[str, Callable[[Variant], Label]] = {
    "language": lambda variant: _LANGUAGES[variant.locale],
    "tool delivery": lambda variant: _DELIVERIES[variant.tool_delivery],
    "context strategy": _strategy,
    "context budget": _budget,
    "prompt": lambda variant: f"{variant.prompt} v{variant.prompt_version}",
}


def _grid(down: str, across: str, fixed: Label, groups: Sequence[Group]) -> Grid:
    placed: dict[tuple[Label, Label], list[Group]] = {}
    for group in groups:
        if group.variant is not None:
            placed.setdefault((axis_value(down, group.variant), axis_value(across, group.variant)), []).append(group)
    rows, columns = dict.fromkeys(row for row, _ in placed), dict.fromkeys(column for _, column in placed)
    return Grid(
        down=down,
        across=across,
        fixed=fixed,
        columns=tuple(columns),
        rows=tuple(
            GridRow(label=row, cells=tuple(tuple(placed.get((row, column), ())) for column in columns)) for row in rows
        ),
    )
