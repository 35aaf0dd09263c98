"""G1: a tool must exist and be loaded: for this scene and login state, or by a search of an earlier turn."""

from __future__ import annotations

from dataset.tools.tool_search import TOOL_SEARCH
from engine.governance.interface import CallView, GuardName, RuleVerdict, allow, deny


class Visibility:
    """`G1-VIS-001` unknown tool, `G1-VIS-002` known but not loaded."""

    guard: GuardName = "G1"

    def check(self, call: CallView) -> RuleVerdict:
        """The verdict on one call."""
        if call.tool is None:
            return deny("G1", "G1-VIS-001", "no tool of that name in the catalogue")
        if call.name not in call.visible and TOOL_SEARCH.name in call.visible:
            return deny("G1", "G1-VIS-002", f"the tool isn't loaded: no {TOOL_SEARCH.name} of an earlier turn found it")
        if call.name not in call.visible:
            return deny("G1", "G1-VIS-002", "the tool isn't loaded for this scene and login state")
        return allow("G1", "loaded")
