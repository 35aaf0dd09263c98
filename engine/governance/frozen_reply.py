"""G6: what answers a call is a frozen reply whose digest holds, a pure function, or the search of the catalogue."""

from __future__ import annotations

from dataset.fixtures.frozen_set import FixtureSet
from dataset.tools.pure_function import PURE_FUNCTIONS
from dataset.tools.tool_search import TOOL_SEARCH
from engine.governance.interface import CallView, GuardName, RuleVerdict, allow, deny


class FrozenReply:
    """`G6-FIXTURE-001` nothing frozen for this call, `G6-FIXTURE-002` the frozen reply's digest differs."""

    guard: GuardName = "G6"

    def __init__(self, fixtures: FixtureSet) -> None:
        self._fixtures = fixtures

    def check(self, call: CallView) -> RuleVerdict:
        """The verdict on one call."""
        tool = call.tool
        if tool is None or not isinstance(call.arguments.value, dict):
            return deny("G6", "G6-FIXTURE-001", "nothing to look up")
        if tool is TOOL_SEARCH:
            return allow("G6", f"search of the catalogue {tool.function}")
        if tool.function is not None:
            if tool.function not in PURE_FUNCTIONS:
                return deny("G6", "G6-FIXTURE-001", f"unknown pure function {tool.function}")
            return allow("G6", f"pure function {tool.function}")
        frozen = self._fixtures.find(tool.name, tool.version, call.arguments.value)
        if frozen is None:
            return deny("G6", "G6-FIXTURE-001", "no frozen reply for these arguments")
        if not frozen.intact:
            return deny("G6", "G6-FIXTURE-002", "the frozen reply differs from the digest recorded at import")
        return allow("G6", f"frozen reply {frozen.recorded_hash[:12]}")
