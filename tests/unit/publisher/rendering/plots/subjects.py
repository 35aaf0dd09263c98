"""Subjects with numbers of one's choosing, measured as a report measures them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dataset.artifacts.artifact import Cost
from dataset.measures.failing import failing_runs
from dataset.measures.group import measure_group
from dataset.measures.run_facts import RunFacts
from dataset.measures.statistics.cluster import Cluster
from dataset.measures.statistics.repeats import measure_repeats
from dataset.record import RunId
from publisher.rendering.plots.interface import Drawing, NotDrawn, Plot
from publisher.rendering.plots.source import PlotSource
from publisher.rendering.plots.subject import Subject


def facts(number: int, **changes: Any) -> RunFacts:
    """A valid run that passed, cost 0.10 USD and took a second."""
    known: dict[str, Any] = {
        "run_id": RunId(f"run-{number}"),
        "artifact_hash": "0" * 64,
        "model_key": "model",
        "case_id": f"case-{number}",
        "variant_id": "arm",
        "repeat": 1,
        "verdict": "pass",
        "failure_reasons": (),
        "invalid_reason": None,
        "corrections": 0,
        "model_steps": 1,
        "tool_calls": 0,
        "refused_calls": 0,
        "latency_ms": 1000,
        "input_tokens": 1,
        "output_tokens": 1,
        "cost": Cost(amount="0.10", currency="USD"),
    }
    return RunFacts(**(known | changes))


def subject(
    name: str = "Model",
    passed: int = 1,
    valid: int = 2,
    *,
    planned: int | None = None,
    cost: str | None = "0.10",
    currency: str = "USD",
    latency: int = 1000,
    reasons: Sequence[Sequence[str]] = (),
    place: str = "model batch-1",
    heading: str = "",
    units: Sequence[tuple[int, int]] | None = None,
    repeats: int = 1,
) -> Subject:
    """A subject of so many valid runs; `cost` is that of each, `reasons` are those of its failed runs in turn, and
    `units` are (passed, runs) of each case that was repeated."""
    runs = []
    for number in range(planned if planned is not None else valid):
        verdict = "invalid" if number >= valid else "pass" if number < passed else "fail"
        runs.append(
            facts(
                number,
                verdict=verdict,
                invalid_reason="provider_5xx" if verdict == "invalid" else None,
                failure_reasons=tuple(reasons[(number - passed) % len(reasons)])
                if reasons and verdict == "fail"
                else (),
                latency_ms=latency,
                cost=None if cost is None else Cost(amount=cost, currency=currency),
            )
        )
    clusters = [Cluster(*unit) for unit in units or ()]
    return Subject(
        name=name,
        place=place,
        href="#model-model",
        measures=measure_group(len(runs), runs),
        heading=heading,
        failing=failing_runs(runs),
        repeats=None if units is None else measure_repeats(clusters, planned=len(clusters), repeats=repeats),
    )


def source(*models: Subject, arms: Sequence[Subject] = (), repeats: int = 1) -> PlotSource:
    """A section of a page with these models."""
    return PlotSource(anchor="board-0", name="", repeats=repeats, models=models, arms=tuple(arms))


def plot(drawings: Sequence[Drawing]) -> Plot:
    """The one plot that was drawn."""
    (drawn,) = drawings
    assert isinstance(drawn, Plot), drawn
    return drawn


def reason(drawings: Sequence[Drawing]) -> str:
    """Why the one plot wasn't drawn."""
    (drawn,) = drawings
    assert isinstance(drawn, NotDrawn), drawn
    return str(drawn.reason)


def marks(drawn: Plot, role: str) -> list[dict[str, str]]:
    """The attributes of the marks of one role, in their order."""
    return [
        dict(mark.attributes) for mark in drawn.marks if dict(mark.attributes)["class"].split()[0] == role.split()[0]
    ]


def named(drawn: Plot) -> list[str]:
    """The labels in the plot."""
    return [str(mark.text) for mark in drawn.marks if ("class", "name") in mark.attributes]


def absent(drawn: Plot) -> dict[str, list[str]]:
    """The names below a plot by the reason why they aren't in it."""
    return {str(found.reason): [one.name for one in found.subjects] for found in drawn.absent}


def cells(drawn: Plot) -> dict[str, tuple[str, ...]]:
    """The table of a plot by name."""
    return {row.subject.name: tuple(map(str, row.cells)) for row in drawn.table.rows}
