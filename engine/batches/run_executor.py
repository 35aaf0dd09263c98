"""One run from its plan to its sealed artifact: loop, guardrails, judge, events."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ParamSpec, TypeVar

from dataset.artifacts.artifact import (
    SECTION_NAMES,
    CaseSection,
    CodeIdentity,
    ContextSection,
    GuardrailCheck,
    ResultSection,
    RunError,
    Step,
)
from dataset.artifacts.definition import PlannedRun
from dataset.artifacts.outside_text import shown
from dataset.canonical import canonical_array, canonical_object
from dataset.measures.verdict import derive_judgment
from dataset.questions.gold import Gold
from engine.agent.loop import AgentLoop, Halted, LoopEnd, never_halted
from engine.agent.setup import RunSetup
from engine.agent.timeline import Timeline
from engine.batches.frozen_batch import FrozenBatch
from engine.batches.run_preparation import Preparations
from engine.batches.run_result import GuardrailsBrokenError, build_result, guard_answer
from engine.governance.chain import GovernanceChain
from engine.guardrails.chain import OutputGuardrails
from engine.judges.interface import Judge, Judged
from engine.providers.interface import AttemptGates, Provider
from engine.providers.open_gate import OpenGate
from engine.telemetry.clock import Clock
from engine.telemetry.event import EventSink

SHORT = 2_000
"""Characters that are guarded and judged in a few milliseconds, in twenty at worst: other runs don't notice."""

Given = ParamSpec("Given")
Made = TypeVar("Made")


@dataclass(frozen=True, kw_only=True)
class RunEvidence:
    """The sections a judge reads, before the artifact is sealed."""

    case: CaseSection
    context: ContextSection
    steps: Sequence[Step]
    guardrail_checks: Sequence[GuardrailCheck]
    result: ResultSection


def random_salts() -> dict[str, str]:
    """16 random bytes in hexadecimal for each section."""
    drawn = secrets.token_hex(16 * len(SECTION_NAMES))
    return {name: drawn[32 * n : 32 * n + 32] for n, name in enumerate(SECTION_NAMES)}


@dataclass(frozen=True, kw_only=True)
class RunExecutor:
    """Runs any planned run of one batch. What it leaves is the run's events, complete for `assemble`."""

    batch: FrozenBatch
    providers: Mapping[str, Provider]
    chain: GovernanceChain
    guardrails: OutputGuardrails
    judge: Judge
    clock: Clock
    code: CodeIdentity
    salts: Callable[[], dict[str, str]] = random_salts

    async def execute(
        self,
        plan: PlannedRun,
        attempt: int,
        sink: EventSink,
        *,
        gates: AttemptGates | None = None,
        halted: Halted = never_halted,
    ) -> None:
        """Emits every event of the run, `run_finished` last. Faults of ours end it as `harness_failed`.

        Its calls pass the gates, open ones where none are given. Halted from the start, it is given up unasked.
        """
        setup, case = self._preparations.of(plan)
        provenance = self._preparations.provenance(setup, attempt, started_at=self.clock.now())
        sink.emit("run_started", canonical_object({"case": case.canonical, "provenance": provenance.canonical}))
        timeline = Timeline(sink)
        end = await self._loop(setup, timeline, gates or OpenGate(), halted)
        sink.emit("context_built", end.context)
        length = _length(end, timeline)
        end, final_output = await _worked_out(length, self._guarded, end, setup, timeline)
        model, replay_of = self.batch.models[plan.model_key], self.batch.definition.replay_of
        result = build_result(end, timeline, final_output, model, replay_of=replay_of)
        evidence = RunEvidence(
            case=case,
            context=end.context,
            steps=timeline.steps,
            guardrail_checks=timeline.checks,
            result=result,
        )
        judged, result = await _worked_out(length, self._judge, self.batch.pack.golds[plan.case_id], evidence)
        sink.emit("answer_guarded", result)
        checks = canonical_array(check.canonical for check in judged.checks)
        sink.emit("judged", canonical_object({"judgment": judged.judgment.canonical, "output_checks": checks}))
        returned = sorted({s.model_returned for s in timeline.model_steps if s.model_returned is not None})
        sink.emit("run_finished", {"finished_at": self.clock.now(), "returned": returned, "salts": self.salts()})
        await sink.flush()

    @cached_property
    def _preparations(self) -> Preparations:
        return Preparations(batch=self.batch, code=self.code, judge_version=self.judge.version)

    async def _loop(self, setup: RunSetup, timeline: Timeline, gates: AttemptGates, halted: Halted) -> LoopEnd:
        loop = AgentLoop(
            setup=setup,
            provider=self.providers[setup.plan.model_key],
            gates=gates,
            chain=self.chain,
            fixtures=self.batch.pack.fixtures,
            timeline=timeline,
            clock=self.clock,
            halted=halted,
        )
        return await loop.run()

    def _guarded(self, end: LoopEnd, setup: RunSetup, timeline: Timeline) -> tuple[LoopEnd, str]:
        """The answer after the guardrails; where they break, nothing of it is shown and the run is invalid."""
        try:
            return end, guard_answer(end, setup, timeline, self.guardrails)
        except GuardrailsBrokenError as error:
            fault = RunError(code=error.code, message=error.message)
        except Exception as error:
            fault = RunError(code="RUN-GUARD-001", message=f"the output guardrails broke: {type(error).__name__}")
        return replace(end, status="harness_failed", error=fault), ""

    def _judge(self, gold: Gold, evidence: RunEvidence) -> tuple[Judged, ResultSection]:
        """What the judge says; a judge that breaks makes the run invalid, never a score."""
        try:
            return self.judge.judge(gold, evidence), evidence.result
        except Exception as error:
            fault = RunError(code="RUN-JUDGE-001", message=f"the judge broke: {type(error).__name__}")
            result = evidence.result.model_copy(update={"status": "harness_failed", "error": fault})
            return Judged(checks=(), judgment=derive_judgment(self.judge.version, result, ())), result


def _length(end: LoopEnd, timeline: Timeline) -> int:
    """How many characters the guardrails and the judge will read."""
    return len(end.answer or "") + sum(len(shown(step.result)) for step in timeline.tool_steps)


async def _worked_out(length: int, work: Callable[Given, Made], *given: Given.args, **named: Given.kwargs) -> Made:
    """The result of the work, off the event loop where it may take long: other runs' deadlines must not pay for it."""
    if length <= SHORT:
        return work(*given, **named)
    return await asyncio.to_thread(work, *given, **named)
