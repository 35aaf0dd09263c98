"""How far to trust each pass rate: errors, intervals and repeats, in one table for all groups of a batch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dataset.measures.statistics.evidence import REASONS, Withheld
from dataset.measures.statistics.rate import RateStatistics
from publisher.projection.report import Report
from publisher.rendering.batches.group import Group
from publisher.rendering.evidence import Evidence, withheld_words
from publisher.rendering.figures import error, percent
from publisher.rendering.language.message import Message, Sayable
from publisher.rendering.statistic import STATISTIC_BY_ID, Statistic


@dataclass(frozen=True, kw_only=True, slots=True)
class SpreadCell:
    """A statistic of a group: `text` as it is read and `value` as the report has it, null where it is withheld."""

    text: str | Sayable
    value: str | None
    beside: tuple[str | Sayable, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class SpreadColumn:
    """One statistic; `suffix` tells those of several k apart."""

    statistic: Statistic
    suffix: str
    cells: tuple[SpreadCell, ...]
    reason: Withheld | None
    """Why no group has it; null where one does."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Spread:
    """The table: its rows, the columns that have a number, and those that have none with the reason, which is a message
    id."""

    groups: tuple[Group, ...]
    columns: tuple[SpreadColumn, ...]
    without: tuple[tuple[str, tuple[SpreadColumn, ...]], ...]

    @property
    def alike(self) -> str:
        """The message that explains `ALIKE`, where a cell has it; else empty."""
        shown = any(cell.text == ALIKE for column in self.columns for cell in column.cells)
        return REASONS["no-variation"] if shown else ""


ALIKE = "–"
"""Stands where no case differs from another; one line below the table says what that means."""

_Found = tuple[SpreadCell, Withheld | None]
_Read = Callable[[RateStatistics], _Found]


def spread_of(report: Report, groups: Sequence[Group]) -> Spread | None:
    """The table of a report's groups; None for a report from before there were statistics."""
    if report.statistics is None:
        return None
    of_models = {found.model_key: found.rate for found in report.statistics.models}
    of_groups = {(found.model_key, found.variant_id): found.rate for found in report.statistics.groups}
    rates = [of_groups[g.model.key, g.variant.id] if g.variant else of_models[g.model.key] for g in groups]
    repeats = max((len(rate.repeats) for rate in rates), default=0)
    columns = [_column(id_, suffix, read, rates) for id_, suffix, read in _reads(repeats)]
    without: dict[str, list[SpreadColumn]] = {}
    for column in columns:
        if column.reason is not None:
            without.setdefault(REASONS[column.reason], []).append(column)
    return Spread(
        groups=tuple(groups),
        columns=tuple(column for column in columns if column.reason is None),
        without=tuple((words, tuple(own)) for words, own in without.items()),
    )


def _reads(repeats: int) -> list[tuple[str, str, _Read]]:
    """Of many k the second and the last: the first is the pass rate itself."""
    fixed: list[tuple[str, str, _Read]] = [
        ("standard-error", "", _error("stderr")),
        ("clustered-error", "", _error("clustered_stderr")),
        ("bootstrap-interval", "", _bootstrap),
        ("case-mean", "", _case_mean),
    ]
    for k in sorted({2, repeats}) if repeats > 1 else ():
        fixed += [("pass-at-k", f"k = {k}", _at_k(k)), ("pass-hat-k", f"k = {k}", _hat_k(k))]
    return fixed


def _column(id_: str, suffix: str, read: _Read, rates: Sequence[RateStatistics]) -> SpreadColumn:
    found = [read(rate) for rate in rates]
    reasons = [reason for cell, reason in found if cell.value is None]
    missing = len(reasons) == len(found) and len(set(reasons)) == 1
    return SpreadColumn(
        statistic=STATISTIC_BY_ID[id_],
        suffix=suffix,
        cells=tuple(cell for cell, _ in found),
        reason=reasons[0] if missing else None,
    )


def _withheld(reason: Withheld | None, rate: RateStatistics) -> _Found:
    if reason == "no-variation":
        return SpreadCell(text=ALIKE, value=None), reason
    words = withheld_words(reason, Evidence(cases=rate.cases, runs=rate.valid))
    return SpreadCell(text=words, value=None), reason


def _error(name: str) -> _Read:
    def read(rate: RateStatistics) -> _Found:
        value: str | None = getattr(rate, name)
        if value is None:
            return _withheld(rate.withheld.get(name), rate)
        return SpreadCell(text=error(value), value=value), None

    return read


def _bootstrap(rate: RateStatistics) -> _Found:
    if rate.bootstrap_low is None or rate.bootstrap_high is None:
        return _withheld(rate.withheld.get("bootstrap_low"), rate)
    words = f"{percent(rate.bootstrap_low)} – {percent(rate.bootstrap_high)}"
    return SpreadCell(text=words, value=f"{rate.bootstrap_low}/{rate.bootstrap_high}"), None


def _case_mean(rate: RateStatistics) -> _Found:
    found = rate.case_mean
    if found.mean is None:
        return _withheld(found.withheld.get("mean"), rate)
    beside: list[Sayable] = [Message("%(count)s of %(planned)s cases", count=found.groups, planned=found.planned)]
    if found.stderr_between is not None:
        beside.append(Message("error between cases %(error)s", error=error(found.stderr_between)))
    if found.stderr_within is not None:
        beside.append(Message("error within cases %(error)s", error=error(found.stderr_within)))
    if len(beside) == 1:
        why = withheld_words(found.withheld.get("stderr_between"), Evidence(cases=found.groups))
        beside.append(Message("error: %(why)s", why=why))
    return SpreadCell(text=percent(found.mean), value=found.mean, beside=tuple(beside)), None


def _at_k(k: int) -> _Read:
    return lambda rate: _repeat(rate, k, "pass_at_k")


def _hat_k(k: int) -> _Read:
    return lambda rate: _repeat(rate, k, "pass_hat_k")


def _repeat(rate: RateStatistics, k: int, name: str) -> _Found:
    found = next((repeat for repeat in rate.repeats if repeat.k == k), None)
    value: str | None = None if found is None else getattr(found, name)
    if value is None:
        return _withheld(None if found is None else found.withheld, rate)
    return SpreadCell(text=percent(value), value=value), None
