"""An offline model that answers from a transcript: the same question gets the same answer, always.

A transcript names the tools that it calls. Where they have to be found first, the model asks for them before it goes
on, so that every transcript plays under both deliveries.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Container, Mapping

from dataset.artifacts.artifact import StopReason, Usage
from dataset.questions.transcript import ScriptedCall, ScriptedTurn, Transcript
from dataset.record import Locale
from dataset.tools.tool_search import LONGEST_QUERY, TOOL_SEARCH
from engine.providers.interface import AttemptGate, ModelReply, ModelRequest, ProviderError, ReplyCall, TryOutcome

_SEARCH_ID = "search_"
"""How the ids of the model's own searches start: by them a request tells which ones it has made."""


class ScriptedProvider:
    """Follows the transcript of its style for the case that a request belongs to. It opens no connection."""

    def __init__(
        self,
        style: str,
        transcripts: Mapping[tuple[str, str], Transcript],
        counter: Callable[[str], int],
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._style = style
        self._transcripts = transcripts
        self._count = counter
        self._clock = clock

    async def complete(self, request: ModelRequest, gate: AttemptGate) -> ModelReply:
        """The turn that the run has come to, the last one again where the transcript has no more.

        Its latency is the time that the look-up took, which a real model's can't be compared with.
        ProviderError `script_missing` where the style has no transcript for the case.
        """
        origin = request.origin
        transcript = self._transcripts.get((self._style, origin.case_id))
        if transcript is None:
            raise ProviderError(
                "script_missing", f"the style {self._style!r} has no transcript for the case {origin.case_id!r}"
            )
        await gate.admit()
        told: TryOutcome | None = None
        try:
            await gate.sending()
            reply = self._reply(request, transcript)
            told = TryOutcome(usage=reply.usage)
        finally:
            gate.settle(told)
        return reply

    async def close(self) -> None:
        """Nothing to end."""

    def _reply(self, request: ModelRequest, transcript: Transcript) -> ModelReply:
        origin, started = request.origin, self._clock()
        searched = _searched(request)
        turn = transcript.turns[min(origin.turn - len(searched), len(transcript.turns) - 1)]
        wanted = _calls(turn, origin.locale)
        if queries := _missing(request, wanted, asked={query for turn in searched for query in turn}):
            calls = tuple(_search(query, f"{_SEARCH_ID}{origin.turn}_{i}") for i, query in enumerate(queries))
            text = None
        else:
            calls = tuple(_call(call, f"call_{origin.turn}_{i}") for i, call in enumerate(wanted))
            text = turn.text.to(origin.locale) if turn.text else (None if calls else "")
        reason: StopReason = "tool_calls" if calls else "stop"
        return ModelReply(
            text=text,
            tool_calls=calls,
            stop_reason=reason,
            finish_reason=reason,
            usage=self._usage(request, text, calls),
            model_returned=self._style,
            request_id=None,
            system_fingerprint=None,
            latency_ms=max(0, round((self._clock() - started) * 1000)),
        )

    def _usage(self, request: ModelRequest, text: str | None, calls: tuple[ReplyCall, ...]) -> Usage:
        given = [message.content for message in request.messages]
        given += [part for m in request.messages for call in m.tool_calls for part in (call.name, call.arguments)]
        given += [json.dumps(tool, sort_keys=True, ensure_ascii=False) for tool in request.tools]
        written = [text or "", *(part for call in calls for part in (call.name, call.arguments))]
        return Usage(input_tokens=sum(map(self._count, given)), output_tokens=sum(map(self._count, written)))


def _calls(turn: ScriptedTurn, locale: Locale) -> tuple[ScriptedCall, ...]:
    return turn.calls_zh if locale == "zh" and turn.calls_zh is not None else turn.calls


def _searched(request: ModelRequest) -> list[list[str]]:
    """The arguments of the searches that the model has made so far, turn by turn."""
    turns = [
        [call.arguments for call in message.tool_calls if call.id.startswith(_SEARCH_ID)]
        for message in request.messages
        if message.role == "assistant"
    ]
    return [turn for turn in turns if turn]


def _missing(request: ModelRequest, calls: tuple[ScriptedCall, ...], *, asked: Container[str]) -> tuple[str, ...]:
    """The arguments of a search for each tool that isn't offered and wasn't asked for, where tools are searched."""
    offered = {tool["function"]["name"] for tool in request.tools if "function" in tool}
    if TOOL_SEARCH.name not in offered:
        return ()
    wanted = dict.fromkeys(_query(call.tool) for call in calls if call.tool not in offered)
    return tuple(query for query in wanted if query not in asked)


def _query(tool: str) -> str:
    """The words of a tool's name, as the arguments of a search; a name without words is asked for as it is."""
    words = " ".join(tool.replace("_", " ").split())[:LONGEST_QUERY]
    return json.dumps({"query": words or "?"}, ensure_ascii=False)


def _search(arguments: str, call_id: str) -> ReplyCall:
    return ReplyCall(id=call_id, name=TOOL_SEARCH.name, arguments=arguments)


def _call(call: ScriptedCall, call_id: str) -> ReplyCall:
    written = call.arguments
    text = written if isinstance(written, str) else json.dumps(written, sort_keys=True, ensure_ascii=False)
    return ReplyCall(id=call_id, name=call.tool, arguments=text)
