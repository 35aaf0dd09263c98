"""Axes: thin lines across the plot at each tick, the tick's words, and what the axis measures."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from publisher.rendering.plots.marks import Mark, rule, words
from publisher.rendering.plots.scale import Scale


def ground(scale: Scale, top: int, bottom: int, texts: Sequence[str]) -> list[Mark]:
    """The axis below a plot: a line up from each tick, and its words beneath."""
    marks = []
    for tick, text in zip(scale.ticks, texts, strict=True):
        x = scale.at(tick)
        marks += [rule("grid", x, top, x, bottom), words("tick", x, bottom + 150, text, anchor="middle")]
    return marks


def side(scale: Scale, left: int, right: int, texts: Sequence[str]) -> list[Mark]:
    """The axis at the left of a plot: a line across from each tick, and its words before it."""
    marks = []
    for tick, text in zip(scale.ticks, texts, strict=True):
        y = scale.at(tick)
        marks += [rule("grid", left, y, right, y), words("tick", left - 60, y + 40, text, anchor="end")]
    return marks


def percents(ticks: Sequence[Decimal], *, unit: bool = True) -> tuple[str, ...]:
    """Shares as whole percentages."""
    return tuple(f"{int(tick * 100)}{'%' if unit else ''}" for tick in ticks)


def amounts(ticks: Sequence[Decimal]) -> tuple[str, ...]:
    """Plain numbers, none with more places than it needs."""
    return tuple(f"{tick.normalize():,f}" if tick else "0" for tick in ticks)
