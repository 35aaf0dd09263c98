"""The agent loop of one run, from the opened context to an answer or a named end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dataset.artifacts.artifact import (
    ContextSection,
    ModelStep,
    RunError,
    RunStatus,
    StopReason,
    ToolCallRecord,
)
from dataset.artifacts.outside_text import keep
from dataset.context.interface import ContextBudgetError
from dataset.fixtures.frozen_set import FixtureSet
from dataset.store.errors import StoreError
from dataset.tools.arguments import parse_arguments
from engine.agent.gates import GateClosedError, pass_gates
from engine.agent.setup import RunSetup
from engine.agent.timeline import Timeline
from engine.agent.tool_call import IncomingCall, ToolDesk
from engine.context.builder import Conversation
from engine.governance.chain import GovernanceChain
from engine.providers.interface import (
    AdmissionDeniedError,
    AdmissionStoppedError,
    AttemptGates,
    ModelReply,
    ModelRequest,
    Provider,
    ProviderError,
    ReplyCall,
    RequestOrigin,
)
from engine.telemetry.clock import Clock


@dataclass(frozen=True, kw_only=True, slots=True)
class LoopEnd:
    """How the loop ended. `answer` is the raw final text, None where the model never gave one."""

    status: RunStatus
    stop_reason: StopReason
    answer: str | None
    error: RunError | None
    context: ContextSection


Halted = Callable[[], RunError | None]
"""Why a run is to stop before its next model call; None while it may go on."""


def never_halted() -> None:
    """Nobody wants a run to stop."""
    return


class AgentLoop:
    """Runs one setup against one provider; everything that happens goes into the timeline."""

    def __init__(
        self,
        *,
        setup: RunSetup,
        provider: Provider,
        gates: AttemptGates,
        chain: GovernanceChain,
        fixtures: FixtureSet,
        timeline: Timeline,
        clock: Clock,
        halted: Halted = never_halted,
    ) -> None:
        self._setup = setup
        self._provider = provider
        self._gates = gates
        self._timeline = timeline
        self._clock = clock
        self._halted = halted
        self._desk = ToolDesk(setup=setup, chain=chain, fixtures=fixtures, timeline=timeline)
        self._call_ids: set[str] = set()
        self._loaded = setup.loaded
        self._conversation = Conversation(question=setup.question, prompt=setup.prompt, variant=setup.variant)

    async def run(self) -> LoopEnd:
        """The end of the run, whatever ended it; only a store that can't record raises."""
        try:
            if halt := self._halted():
                return self._end("cancelled", "error", error=halt)
            self._conversation.open()
            return await self._turns()
        except ContextBudgetError as error:
            return self._end("context_failed", "error", error=RunError(code=error.code, message=error.message))
        except GateClosedError as error:
            return self._end(error.status, "error", error=RunError(code=error.code, message=error.message))
        except ProviderError as error:
            self._record_failure(error)
            return self._end("provider_failed", "error", error=RunError(code=error.code, message=error.message))
        except AdmissionDeniedError as error:
            return self._end("cancelled", "error", error=RunError(code=error.code, message=error.message))
        except (StoreError, AdmissionStoppedError):
            raise  # nothing can be recorded, so the run stays missing and is run again
        except Exception as error:
            message = f"the harness broke: {type(error).__name__}"
            return self._end("harness_failed", "error", error=RunError(code="RUN-HARNESS-001", message=message))

    async def _turns(self) -> LoopEnd:
        while True:
            self._loaded = self._loaded.joined(self._desk.found)
            pass_gates(self._setup, self._timeline, self._conversation, self._loaded)
            self._timeline.load(self._loaded.visible_at(self._timeline.next_step))
            await self._timeline.flush()  # what led to the question is told before a wait that may take minutes
            reply = await self._ask()
            await self._timeline.flush()
            if not reply.tool_calls:
                return self._end("completed", reply.stop_reason, answer=reply.text or "")
            self._answer_calls(reply)
            if halt := self._halted():
                return self._end("cancelled", "error", error=halt)

    async def _ask(self) -> ModelReply:
        started_at = self._clock.now()
        plan = self._setup.plan
        request = ModelRequest(
            messages=self._conversation.messages(),
            tools=self._loaded.forms,
            max_output_tokens=self._setup.max_output_tokens,
            input_tokens=self._conversation.request_tokens,
            origin=RequestOrigin(
                run_id=plan.run_id,
                case_id=plan.case_id,
                locale=self._setup.variant.locale,
                repeat=plan.repeat,
                turn=len(self._timeline.model_steps),
            ),
        )
        gate = self._gates.for_call(request, step=self._timeline.next_step)
        reply = await self._provider.complete(request, gate)
        self._timeline.add(_model_step(self._timeline.next_step, reply, started_at))
        return reply

    def _answer_calls(self, reply: ModelReply) -> None:
        calls = self._incoming(reply.tool_calls)
        self._conversation.add_reply(reply.text or "", [(c.id, c.name, c.arguments) for c in calls])
        for call in calls:
            self._conversation.add_observation(call.id, self._desk.answer(call, visible=self._loaded.names))

    def _incoming(self, calls: Sequence[ReplyCall]) -> list[IncomingCall]:
        """The calls under ids that are unique within the conversation: a missing or repeated id gets one of ours."""
        incoming = []
        for index, call in enumerate(calls):
            fresh = bool(call.id) and call.id not in self._call_ids
            own = call.id if fresh else f"call-{self._timeline.next_step}-{index}"
            self._call_ids.add(own)
            incoming.append(IncomingCall(id=own, name=call.name, arguments=call.arguments))
        return incoming

    def _record_failure(self, error: ProviderError) -> None:
        reported = error.reported
        self._timeline.add(
            ModelStep(
                step=self._timeline.next_step,
                text=None,
                tool_calls=(),
                stop_reason="error",
                finish_reason=reported.finish_reason,
                usage=reported.usage,
                latency_ms=error.latency_ms,
                attempts=error.attempts,
                model_returned=reported.model_returned,
                request_id=reported.request_id,
                system_fingerprint=reported.system_fingerprint,
                error=error.error_code,
                started_at=self._clock.now(),
            )
        )

    def _end(
        self,
        status: RunStatus,
        stop_reason: StopReason,
        *,
        answer: str | None = None,
        error: RunError | None = None,
    ) -> LoopEnd:
        return LoopEnd(
            status=status, stop_reason=stop_reason, answer=answer, error=error, context=self._conversation.section()
        )


def _model_step(step: int, reply: ModelReply, started_at: str) -> ModelStep:
    return ModelStep(
        step=step,
        text=None if reply.text is None else keep(reply.text),
        tool_calls=tuple(
            ToolCallRecord(
                id=keep(call.id),
                name=keep(call.name),
                arguments_raw=keep(call.arguments),
                arguments_parsed=parse_arguments(call.arguments).canonical,
            )
            for call in reply.tool_calls
        ),
        stop_reason=reply.stop_reason,
        finish_reason=reply.finish_reason,
        usage=reply.usage,
        latency_ms=reply.latency_ms,
        attempts=reply.attempts,
        model_returned=reply.model_returned,
        request_id=reply.request_id,
        system_fingerprint=reply.system_fingerprint,
        error=None,
        started_at=started_at,
    )
