"""A model whose answers were recorded by another batch: the same question gets the answer that it got then."""

from __future__ import annotations

import asyncio
import base64
from collections import OrderedDict
from collections.abc import Callable
from typing import Protocol, cast

from dataset.artifacts.outside_text import OutsideText
from dataset.artifacts.revision import split_revision
from dataset.record import BatchId
from dataset.store.recorded_replies import RecordedCall, RecordedRun
from engine.providers.interface import (
    AdmissionDeniedError,
    AttemptGate,
    ModelReply,
    ModelRequest,
    ProviderError,
    ProviderErrorCode,
    ReplyCall,
    Reported,
)

REMEMBERED_RUNS = 128
"""Enough that a run in flight is read once, few enough that memory stays flat however long the batch is."""


class Recording(Protocol):
    """Where recorded answers are read; its methods block."""

    @property
    def batch_id(self) -> BatchId:
        """The batch that recorded them."""
        ...

    def run_at(self, position: int) -> RecordedRun | None:
        """The run that stands at a planned position; None where there is none."""
        ...

    def elsewhere(self, request_digest: str) -> RecordedCall | None:
        """The first call of any run that was asked exactly this; None where none was."""
        ...


class RecordedBreakError(Exception):
    """The recorded run broke here by a fault of the harness: the model was never asked."""


class ReplayProvider:
    """Answers for one model from a recording. It passes no gate: nothing is sent, reserved or paid for.

    `digest` is what a request of this model is found by.
    """

    def __init__(self, recording: Recording, digest: Callable[[ModelRequest], str]) -> None:
        self._recording = recording
        self._digest = digest
        self._runs: OrderedDict[int, RecordedRun | None] = OrderedDict()

    async def complete(self, request: ModelRequest, gate: AttemptGate) -> ModelReply:
        """The recorded reply, with its old latency and ids and no HTTP attempt; a recorded failure fails again.

        The call of this turn in the run at the same position comes first, then others of that run in their order, then
        any run's. Where that run was given up at this point, so is this one (AdmissionDeniedError). ProviderError
        `replay_missing` for what was never asked; RecordingError.
        """
        digest, turn = self._digest(request), request.origin.turn
        own = await self._own(request.origin.run_id)
        calls = () if own is None else own.calls
        found = _asked(digest, calls[turn:] + calls[:turn])
        if found is None and own is not None and turn >= len(calls):
            _end_as(own)
        if found is None:
            found = await asyncio.to_thread(self._recording.elsewhere, digest)
        if found is None:
            raise ProviderError(
                "replay_missing", f"batch {self._recording.batch_id} recorded no answer to what is asked here"
            )
        return _reply(found)

    async def close(self) -> None:
        """Nothing to end."""

    async def _own(self, run_id: str) -> RecordedRun | None:
        """The recorded run at the same position: both batches plan the same runs in the same order."""
        position = int(split_revision(run_id)[0].rpartition("-")[2])
        if position not in self._runs:
            self._runs[position] = await asyncio.to_thread(self._recording.run_at, position)
            if len(self._runs) > REMEMBERED_RUNS:
                self._runs.popitem(last=False)
        return self._runs.get(position)


def _asked(digest: str, calls: tuple[RecordedCall, ...]) -> RecordedCall | None:
    return next((call for call in calls if call.request_digest == digest), None)


def _end_as(own: RecordedRun) -> None:
    """Ends this run as the recorded one ended where it asked nothing more: another run's answer isn't its own."""
    if own.status == "cancelled" and own.error is not None:
        raise AdmissionDeniedError(own.error.message, code=own.error.code)
    if own.status == "harness_failed":
        raise RecordedBreakError


def _reply(call: RecordedCall) -> ModelReply:
    step = call.step
    if step.error is not None:
        raise ProviderError(
            cast(ProviderErrorCode, step.error),
            call.message or "a recorded failure",
            latency_ms=step.latency_ms,
            reported=Reported(
                usage=step.usage,
                finish_reason=step.finish_reason,
                model_returned=step.model_returned,
                request_id=step.request_id,
                system_fingerprint=step.system_fingerprint,
            ),
        )
    return ModelReply(
        text=None if step.text is None else _received(step.text),
        tool_calls=tuple(
            ReplyCall(id=_received(made.id), name=_received(made.name), arguments=_received(made.arguments_raw))
            for made in step.tool_calls
        ),
        stop_reason=step.stop_reason,
        finish_reason=step.finish_reason,
        usage=step.usage,
        model_returned=step.model_returned,
        request_id=step.request_id,
        system_fingerprint=step.system_fingerprint,
        latency_ms=step.latency_ms,
    )


def _received(kept: OutsideText) -> str:
    """The text as it was received, lone surrogates included: what `keep` made of it, turned back."""
    if isinstance(kept, str):
        return kept
    return base64.b64decode(kept.data).decode("utf-8", "surrogatepass")
