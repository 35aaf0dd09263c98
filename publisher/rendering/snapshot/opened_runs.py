"""The runs that were opened last: pages of pairs lead to the same few runs again and again."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

from dataset.artifacts.disclosure import Disclosed
from dataset.artifacts.withdrawn import Withdrawn
from dataset.measures.run_facts import RunFacts
from publisher.projection.report import Report

_MOST_BYTES = 4 * 1024 * 1024
"""Of files; opened, a run takes several times its file."""


@dataclass(frozen=True, kw_only=True, slots=True)
class OpenedRun:
    """What was opened, with its file's bytes, and what it was held to."""

    report: Report
    facts: RunFacts
    found: Disclosed | Withdrawn
    data: bytes


class OpenedRuns:
    """The last ones, as many as their files have few enough bytes in all."""

    def __init__(self, most_bytes: int = _MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._bytes = 0
        self._runs: OrderedDict[str, OpenedRun] = OrderedDict()

    def find(self, report: Report, facts: RunFacts) -> OpenedRun | None:
        """A run that was held to this very report and line of it; None where it has to be opened."""
        run = self._runs.get(facts.run_id)
        if run is None or run.report is not report or run.facts is not facts:
            return None
        self._runs.move_to_end(facts.run_id)
        return run

    def keep(self, run: OpenedRun) -> None:
        """Keeps a run, and as many of those before as there is room for."""
        before = self._runs.pop(run.facts.run_id, None)
        self._bytes += len(run.data) - (0 if before is None else len(before.data))
        self._runs[run.facts.run_id] = run
        while self._bytes > self._most_bytes:
            _, oldest = self._runs.popitem(last=False)
            self._bytes -= len(oldest.data)
