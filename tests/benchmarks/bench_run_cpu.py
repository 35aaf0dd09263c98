"""Processor time of one run of ours, with no network and no database; `python -m tests.benchmarks.bench_run_cpu`.

A provider answers at once from memory, events go to memory: what is left is context, gates, governance, guardrails,
judge, events and the sealed artifact. Prints one JSON line a figure, the median of five trials after a warm-up.
`--profile` prints where the time of the three-step runs goes instead.
"""

from __future__ import annotations

import asyncio
import cProfile
import json
import pstats
import statistics
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

from dataset.artifacts.artifact import HttpAttempt, Usage
from dataset.artifacts.definition import PlannedRun
from dataset.record import RunId
from engine.batches.run_executor import RunExecutor
from engine.providers.interface import AttemptGate, ModelReply, ModelRequest, TryOutcome
from engine.providers.scripted import ScriptedProvider
from engine.telemetry.assembly import assemble
from tests.factories.finance import finance_batch, finance_executor, finance_pack, scripted_model
from tests.factories.loop import MemorySink

SHAPES: Mapping[str, str] = {"single_turn": "order-kinds-explained", "three_steps": "nav-then-value"}
"""A case with its scripted answer: one without a tool, one with two calls in two steps and then an answer."""
STYLE = "careful"
WARM_UP, RUNS, TRIALS = 50, 300, 5


class RecordedProvider:
    """Gives the replies that the scripted model gave once, without any work of its own."""

    def __init__(self, replies: Sequence[ModelReply]) -> None:
        self._replies = replies

    async def complete(self, request: ModelRequest, gate: AttemptGate) -> ModelReply:
        """The reply of the turn that the run has come to."""
        await gate.admit()
        await gate.sending()
        reply = self._replies[request.origin.turn]
        gate.settle(TryOutcome(usage=reply.usage))
        return reply

    async def close(self) -> None:
        """Nothing to close."""


class _Recording:
    def __init__(self, asked: ScriptedProvider) -> None:
        self._asked = asked
        self.replies: list[ModelReply] = []

    async def complete(self, request: ModelRequest, gate: AttemptGate) -> ModelReply:
        reply = await self._asked.complete(request, gate)
        usage = Usage(input_tokens=900, output_tokens=60)
        attempts = (HttpAttempt(status=200, code=None, latency_ms=3),)
        self.replies.append(replace(reply, usage=usage, request_id="req-000001", latency_ms=3, attempts=attempts))
        return reply

    async def close(self) -> None:
        pass


def prepared(shape: str) -> tuple[RunExecutor, PlannedRun]:
    """An executor whose provider has every reply of the shape's case ready, and the run to repeat."""
    pack = finance_pack()
    template = pack.templates["english"].model_copy(update={"cases": (SHAPES[shape],)})
    batch = finance_batch(pack=replace(pack, templates={"english": template}), models=[scripted_model(STYLE)])
    recording = _Recording(ScriptedProvider(STYLE, pack.transcripts, len))
    executor, plans = finance_executor(batch=batch, providers={STYLE: recording})
    asyncio.run(executor.execute(plans[0], 1, MemorySink()))
    return replace(executor, providers={STYLE: RecordedProvider(recording.replies)}), plans[0]


async def trial(executor: RunExecutor, plan: PlannedRun, runs: int) -> dict[str, float]:
    """Processor time of each phase in milliseconds a run."""
    spent = {"execute": 0.0, "assemble": 0.0}
    for number in range(runs):
        run = replace(plan, run_id=RunId(f"b1-{number:06d}"))
        sink = MemorySink()
        started = time.process_time()
        await executor.execute(run, 1, sink)
        executed = time.process_time()
        assemble(run.run_id, sink.events)
        spent["assemble"] += time.process_time() - executed
        spent["execute"] += executed - started
    return {phase: seconds * 1000 / runs for phase, seconds in spent.items()}


def main() -> None:
    """Prints the figures, or with `--profile` the functions that cost most."""
    for shape in SHAPES:
        executor, plan = prepared(shape)
        asyncio.run(trial(executor, plan, WARM_UP))
        if "--profile" in sys.argv:
            with cProfile.Profile() as profile:
                asyncio.run(trial(executor, plan, RUNS))
            pstats.Stats(profile).sort_stats("tottime").print_stats(45)
            continue
        trials = [asyncio.run(trial(executor, plan, RUNS)) for _ in range(TRIALS)]
        phases = {f"{phase}_ms": round(statistics.median(t[phase] for t in trials), 3) for phase in trials[0]}
        whole = round(statistics.median(sum(t.values()) for t in trials), 3)
        print(json.dumps({"bench": "run_cpu", "shape": shape, "cpu_ms_per_run": whole, **phases}), flush=True)


if __name__ == "__main__":
    main()
