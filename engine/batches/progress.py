"""What an owner sees while a batch runs: a live bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal

from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, TextColumn, TimeRemainingColumn

from dataset.console import console, span_text
from engine.batches.estimate import UNKNOWN_COST, cost_text
from engine.telemetry.assembly import Sealed

PLAIN_INTERVAL = 5.0
"""Seconds between two plain lines; the first and last run always get one."""
TELLING_RUNS = 5
"""Runs before an estimate of the time left is made: the first ones start cold, and together."""


class BatchTally:
    """Counts verdicts and money of the runs recorded so far. `scripted`: no model of the batch is a real one;
    `asks` is False where runs are only given up, which costs nothing and takes no time to speak of."""

    def __init__(
        self,
        planned: int,
        *,
        passed: int = 0,
        failed: int = 0,
        invalid: int = 0,
        scripted: bool = False,
        asks: bool = True,
    ) -> None:
        self.planned = planned
        self.asks = asks
        self._scripted = scripted
        self.counts = {"pass": passed, "fail": failed, "invalid": invalid}
        self._earlier = self.done
        self._money: dict[str, Decimal] = {}
        self._unpriced = 0

    @property
    def done(self) -> int:
        """Recorded runs, whatever their verdict."""
        return sum(self.counts.values())

    def add(self, run: Sealed) -> None:
        """Takes one recorded run."""
        self.counts[run.verdict] += 1
        cost = run.result.cost
        if cost is None:
            self._unpriced += 1
        else:
            self._money[cost.currency] = self._money.get(cost.currency, Decimal(0)) + Decimal(cost.amount)

    @property
    def cost(self) -> str:
        """What is known of the money spent in this session."""
        known = {currency: f"{amount:f}" for currency, amount in self._money.items()}
        return cost_text(known, UNKNOWN_COST if self._unpriced else None, scripted=self._scripted) or "–"

    def __str__(self) -> str:
        counts = self.counts
        verdicts = f"passed {counts['pass']}, failed {counts['fail']}, invalid {counts['invalid']}"
        if not self.asks:
            return verdicts
        return f"{verdicts}, {'cost of this session' if self._earlier else 'cost'} {self.cost}"


class BatchProgress:
    """Shows a tally after each recorded run."""

    def __init__(self, tally: BatchTally, bar: Progress | None) -> None:
        self.tally = tally
        self._bar = bar
        self._task = bar.add_task("runs", total=tally.planned, completed=tally.done, tally=str(tally)) if bar else None
        self._started = self._last = time.monotonic()
        self._before = tally.done

    def advance(self, run: Sealed) -> None:
        """Takes one recorded run and shows it."""
        self.tally.add(run)
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, completed=self.tally.done, tally=str(self.tally))
            return
        now = time.monotonic()
        ends = self.tally.done in (self._before + 1, self.tally.planned)
        if ends or now - self._last >= PLAIN_INTERVAL:
            self._last = now
            left = self._left(now) if self.tally.asks else ""
            print(f"{self.tally.done}/{self.tally.planned} {self.tally}{left}", file=sys.stderr, flush=True)

    def _left(self, now: float) -> str:
        """Nothing while too few runs were made in too short a time to tell, and none where none is left."""
        done, missing = self.tally.done - self._before, self.tally.planned - self.tally.done
        if done < TELLING_RUNS or now - self._started < PLAIN_INTERVAL or not missing:
            return ""
        seconds = (now - self._started) / done * missing
        return f", about {span_text(seconds)} left"


@contextmanager
def batch_progress(tally: BatchTally) -> Iterator[BatchProgress]:
    """Progress on stderr: a bar where that is a terminal, else a plain line now and then."""
    if not sys.stderr.isatty():
        yield BatchProgress(tally, None)
        return
    columns: tuple[ProgressColumn, ...] = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[tally]}"),
        *([TimeRemainingColumn()] if tally.asks else []),
    )
    with Progress(*columns, console=console(stderr=True)) as bar:
        yield BatchProgress(tally, bar)
