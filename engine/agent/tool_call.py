"""One tool call: governed, answered by a frozen or computed reply, observed. Tools are answered nowhere else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from dataset.artifacts.artifact import ToolStep
from dataset.artifacts.outside_text import keep
from dataset.canonical import canonical_text, content_hash
from dataset.fixtures.frozen_set import FixtureSet
from dataset.tools.arguments import ParsedArguments, parse_arguments
from dataset.tools.pure_function import PURE_FUNCTIONS
from dataset.tools.tool import Tool
from dataset.tools.tool_search import TOOL_SEARCH, search_tools
from engine.agent.setup import RunSetup
from engine.agent.timeline import Timeline
from engine.governance.chain import GovernanceChain
from engine.governance.interface import CallBudget, CallView, Observation, RuleVerdict


@dataclass(frozen=True, kw_only=True, slots=True)
class IncomingCall:
    """A call of the model with the id that the conversation knows it by."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Reply:
    """What stands behind an allowed call, before the observation rules."""

    source: Literal["fixture", "pure", "search"]
    status: Literal["ok", "error"]
    text: str
    hash: str
    found: tuple[Tool, ...] = ()
    """What a search found."""


class ToolDesk:
    """Answers calls. A refusal is a structured reply to the model, never an end of the run.

    `found` are the tools that searches found so far, in their order: the loop loads them for the next model step.
    """

    def __init__(self, *, setup: RunSetup, chain: GovernanceChain, fixtures: FixtureSet, timeline: Timeline) -> None:
        self._setup = setup
        self._chain = chain
        self._fixtures = fixtures
        self._timeline = timeline
        self.found: list[Tool] = []

    def answer(self, call: IncomingCall, *, visible: frozenset[str]) -> str:
        """The text that the model sees for a call; the verdicts and the step are recorded.

        `visible` are the names that the model saw when it made the call.
        """
        step = self._timeline.next_step
        arguments = parse_arguments(call.arguments)
        tool = self._tool(call.name)
        outcome = self._chain.check_call(self._view(call, arguments, tool, visible))
        for verdict in outcome.verdicts:
            self._timeline.governed(verdict, observation=False, step=step, call_id=call.id)
        if outcome.refusal is not None or tool is None:
            return self._refused(call, arguments, tool, outcome.refusal)
        reply = self._reply(tool, arguments.value)
        observed = self._chain.check_observation(
            Observation(tool=tool, text=reply.text, max_tokens=self._setup.limits.max_observation_tokens)
        )
        for verdict in observed.verdicts:
            self._timeline.governed(verdict, observation=True, step=step, call_id=call.id)
        if observed.refusal is not None:
            return self._refused(call, arguments, tool, observed.refusal)
        self._record(call, arguments, tool, reply=reply, code=None, text=observed.text)
        self.found += reply.found
        return observed.text

    def _tool(self, name: str) -> Tool | None:
        """The tool of that name: the search stands in no catalogue, and exists where tools are searched."""
        if self._setup.variant.tool_delivery == "search" and name == TOOL_SEARCH.name:
            return TOOL_SEARCH
        return self._setup.catalogue.tools.get(name)

    def _view(
        self, call: IncomingCall, arguments: ParsedArguments, tool: Tool | None, visible: frozenset[str]
    ) -> CallView:
        limits, timeline = self._setup.limits, self._timeline
        return CallView(
            name=call.name,
            arguments=arguments,
            tool=tool,
            visible=visible,
            login_state=self._setup.question.login_state,
            catalogue=self._setup.catalogue,
            budget=CallBudget(
                calls_made=len(timeline.searches if tool is TOOL_SEARCH else timeline.calls),
                max_calls=limits.max_calls,
                steps_left=limits.max_steps - len(timeline.model_steps),
                identical_executed=timeline.executed(call.name, arguments.canonical or ""),
                max_identical=limits.max_identical_calls,
            ),
        )

    def _reply(self, tool: Tool, arguments: dict[str, Any]) -> Reply:
        if tool is TOOL_SEARCH:
            searched = search_tools(
                self._setup.catalogue,
                self._setup.question.login_state,
                arguments["query"],
                self._setup.variant.locale,
            )
            return Reply(source="search", status="ok", text=searched.text, hash=searched.seal, found=searched.tools)
        if tool.function is not None:
            computed = PURE_FUNCTIONS[tool.function](arguments)
            seal = content_hash({"function": tool.function, "text": computed.text})
            return Reply(source="pure", status=computed.status, text=computed.text, hash=seal)
        frozen = self._fixtures.find(tool.name, tool.version, arguments)
        if frozen is None:  # G6 has just found it in the same frozen set
            raise LookupError(f"no frozen reply for {tool.name}")
        return Reply(
            source="fixture", status=frozen.fixture.status, text=frozen.fixture.reply, hash=frozen.recorded_hash
        )

    def _refused(
        self, call: IncomingCall, arguments: ParsedArguments, tool: Tool | None, refusal: RuleVerdict | None
    ) -> str:
        code = refusal.code if refusal and refusal.code else "G0-CHAIN-001"
        message = refusal.detail if refusal else "refused"
        text = canonical_text({"error": "refused", "code": code, "message": message})
        self._record(call, arguments, tool, reply=None, code=code, text=text)
        return text

    def _record(
        self,
        call: IncomingCall,
        arguments: ParsedArguments,
        tool: Tool | None,
        *,
        reply: Reply | None,
        code: str | None,
        text: str,
    ) -> None:
        self._timeline.add(
            ToolStep(
                step=self._timeline.next_step,
                call_id=keep(call.id),
                tool=keep(call.name),
                tool_version=tool.version if tool else None,
                untrusted=tool is not None and tool.untrusted_output,
                arguments_raw=keep(call.arguments),
                arguments_parsed=arguments.canonical,
                outcome="executed" if reply else "refused",
                code=code,
                source=reply.source if reply else "refusal",
                reply_hash=reply.hash if reply else None,
                reply_status=reply.status if reply else None,
                result=keep(text),
            )
        )
