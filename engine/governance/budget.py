"""G4: calls, searches, steps and repetitions are bounded."""

from __future__ import annotations

from dataset.tools.tool_search import TOOL_SEARCH
from engine.governance.interface import CallView, GuardName, RuleVerdict, allow, deny


class Budget:
    """`G4-BUDGET-001` calls used up, `-002` no step left to read a reply, `-003` the identical call again, `-004`
    searches used up: there may be as many as calls, and neither uses up the other."""

    guard: GuardName = "G4"

    def check(self, call: CallView) -> RuleVerdict:
        """The verdict on one call."""
        budget = call.budget
        if budget.calls_made >= budget.max_calls and call.tool is TOOL_SEARCH:
            return deny("G4", "G4-BUDGET-004", f"all {budget.max_calls} searches are used")
        if budget.calls_made >= budget.max_calls:
            return deny("G4", "G4-BUDGET-001", f"all {budget.max_calls} tool calls are used")
        if budget.steps_left <= 0:
            return deny("G4", "G4-BUDGET-002", "no model step is left to read a reply")
        if budget.identical_executed >= budget.max_identical:
            return deny(
                "G4", "G4-BUDGET-003", f"the identical call was already executed {budget.identical_executed} times"
            )
        what = "search" if call.tool is TOOL_SEARCH else "call"
        return allow("G4", f"{what} {budget.calls_made + 1} of {budget.max_calls}, {budget.steps_left} steps left")
