"""What every kind of plot gives: a drawing with its words and its table, or the reason why there is none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from publisher.rendering.language.message import Sayable
from publisher.rendering.plots.marks import Mark
from publisher.rendering.plots.source import PlotSource
from publisher.rendering.plots.subject import Subject

WIDTH = 320
"""Units across every plot: letters of 11 or 12 units stay legible on a screen of 320 points."""
FEW = 40
"""Up to so many points each has its interval, its own row and a title; beyond, labels thin out."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PlotRow:
    """One subject in the table of a plot."""

    subject: Subject
    cells: tuple[str | Sayable, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class PlotTable:
    """Every number of a plot; `columns` are those beside the name."""

    columns: tuple[str | Sayable, ...]
    rows: tuple[PlotRow, ...]

    @property
    def linked(self) -> bool:
        """Whether each name leads to its runs; of many, those of the page's own table do."""
        return len(self.rows) <= FEW


@dataclass(frozen=True, kw_only=True, slots=True)
class PlotKey:
    """A line below a plot that says what a mark or a letter stands for."""

    text: str | Sayable
    mark: Mark | None = None
    """At (6, 6) in a box of twelve units."""
    letter: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Absent:
    """Subjects that can't be drawn, named below the plot with the reason."""

    reason: Sayable
    subjects: tuple[Subject, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Plot:
    """One figure. `id` is its own on a page; `description` says in words what the marks show."""

    id: str
    title: Sayable
    description: Sayable
    height: int
    marks: tuple[Mark, ...]
    table: PlotTable
    keys: tuple[PlotKey, ...] = ()
    absent: tuple[Absent, ...] = ()
    width: int = WIDTH


@dataclass(frozen=True, kw_only=True, slots=True)
class NotDrawn:
    """A plot that would show nothing, and why."""

    title: Sayable
    reason: Sayable


Drawing = Plot | NotDrawn


class PlotKind(Protocol):
    """One kind of plot, over the subjects of one board or one batch, which may all be compared."""

    def __call__(self, source: PlotSource) -> Sequence[Drawing]:
        """Each plot that shows something, or one that says why none does."""
        ...
