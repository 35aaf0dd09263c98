"""Whole runs against a server that answers at once, everything durable; `python -m tests.benchmarks.bench_runs`.

Single-turn runs and runs of three steps with two tool calls: runs per second, processor time of our process and of
PostgreSQL, peak memory; beside them a bare client that makes the same calls. Medians of five trials after a warm-up.
Then memory alone, at 1,000 and at 20,000 runs. Prints one JSON line a figure. What each one means, and how to
repeat it, is told in docs/reference/benchmarks.md.

`--quick` is for a first look: shorter trials, and memory at 1,000 and 3,000 runs. `--profile single_turn` or
`three_steps` prints where the time goes instead.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from dataset.store.embedded import status
from tests.benchmarks.measured_runs import Order
from tests.benchmarks.processor_time import Spent
from tests.benchmarks.run_ground import CONCURRENCY, Ground, Shape, new_batches, prepared_ground

TRIALS = 5
RUNS: dict[Shape, int] = {"single_turn": 2000, "three_steps": 600}
QUICK_RUNS: dict[Shape, int] = {"single_turn": 600, "three_steps": 200}
WARM_UP = 300
FEW = 1000
MANY, QUICK_MANY = 20_000, 3000
FASTER_THAN: dict[Shape, float] = {"single_turn": 435, "three_steps": 195}
"""Runs per second: ten times what the best-known harness does on the same machine."""
CHEAPER_THAN: dict[Shape, float] = {"single_turn": 2.0, "three_steps": 5.0}
"""Seconds of our process for 1,000 runs."""
FLAT = 1.10
By = Literal["glassbench", "bare"]


@dataclass(frozen=True, kw_only=True)
class Measured:
    """What one process reported."""

    trials: Sequence[Spent]
    peak_mib: float

    def median(self, name: Literal["ours", "postgres", "server"]) -> float:
        """Processor seconds for 1,000 runs."""
        return statistics.median(trial.per_thousand(getattr(trial, name)) for trial in self.trials)

    @property
    def rate(self) -> float:
        """Runs per second."""
        return statistics.median(trial.runs / trial.seconds for trial in self.trials)


def main() -> None:
    """Prints the figures."""
    quick = "--quick" in sys.argv
    runs = QUICK_RUNS if quick else RUNS
    many = QUICK_MANY if quick else MANY
    sizes: dict[Shape, set[int]] = {shape: {WARM_UP, count} for shape, count in runs.items()}
    sizes["single_turn"] |= {FEW, many}
    with prepared_ground(sizes) as ground:
        if "--profile" in sys.argv:
            shape: Shape = "three_steps" if "three_steps" in sys.argv else "single_turn"
            _measure(ground, "glassbench", shape, [WARM_UP, runs[shape]], uncounted=1, profile=True)
            return
        for shape, count in runs.items():
            stretches = [WARM_UP, *[count] * TRIALS]
            ours = _measure(ground, "glassbench", shape, stretches, uncounted=1)
            _tell_speed(shape, ours, _measure(ground, "bare", shape, stretches, uncounted=1))
        _tell_memory(*(_measure(ground, "glassbench", "single_turn", [n], uncounted=0) for n in (FEW, many)))


def _measure(
    ground: Ground, by: By, shape: Shape, stretches: Sequence[int], *, uncounted: int, profile: bool = False
) -> Measured:
    """What a fresh process reports of an order. Batches are created here, so that it does nothing but run them."""
    postmaster = status(ground.home, site_directory=ground.home.parent / "site").pid
    assert postmaster is not None
    order = Order(
        by=by,
        shape=shape,
        stretches=stretches,
        uncounted=uncounted,
        batches=new_batches(ground, shape, stretches) if by == "glassbench" else (),
        url=ground.url,
        home=str(ground.home),
        postmaster=postmaster,
        server=ground.server.pid,
        profile=profile,
    )
    command = [sys.executable, "-m", "tests.benchmarks.measured_runs", json.dumps(asdict(order))]
    ended = subprocess.run(
        command, check=False, stdout=subprocess.PIPE, stderr=None if profile else subprocess.PIPE, text=True
    )
    if ended.returncode:
        raise SystemExit(ended.stderr)
    *trials, last = (json.loads(line) for line in ended.stdout.splitlines())
    return Measured(trials=[Spent(**told) for told in trials], peak_mib=last["peak_mib"])


def _tell_speed(shape: Shape, ours: Measured, bare: Measured) -> None:
    setting = {"shape": shape, "concurrency": CONCURRENCY}
    rate, cost = FASTER_THAN[shape], CHEAPER_THAN[shape]
    _tell("runs_per_second", ours.rate, "runs/s", bare.rate, bar=rate, reached=ours.rate >= rate, **setting)
    cpu = ours.median("ours")
    _tell("cpu_per_1000_runs", cpu, "s", bare.median("ours"), bar=cost, reached=cpu <= cost, **setting)
    _tell("postgres_cpu_per_1000_runs", ours.median("postgres"), "s", None, **setting)
    _tell("server_cpu_per_1000_runs", ours.median("server"), "s", bare.median("server"), **setting)
    _tell("peak_memory", ours.peak_mib, "MiB", bare.peak_mib, **setting)


def _tell_memory(few: Measured, many: Measured) -> None:
    growth = many.peak_mib / few.peak_mib
    (first,), (last,) = few.trials, many.trials
    _tell("peak_memory", few.peak_mib, "MiB", None, shape="single_turn", runs=first.runs)
    _tell("peak_memory", many.peak_mib, "MiB", None, shape="single_turn", runs=last.runs)
    _tell("memory_growth", growth, "times", None, bar=FLAT, reached=growth <= FLAT, runs=[first.runs, last.runs])


def _tell(figure: str, value: float, unit: str, bare: float | None, **more: Any) -> None:
    """One line. `to_bare`: how many times the bare client's figure this is."""
    line = {"bench": "runs", "figure": figure, "value": round(value, 3), "unit": unit}
    if bare is not None:
        line |= {"bare": round(bare, 3), "to_bare": round(value / bare, 2)}
    print(json.dumps(line | more), flush=True)


if __name__ == "__main__":
    main()
