"""G2: nothing that writes is ever executed."""

from __future__ import annotations

from engine.governance.interface import CallView, GuardName, RuleVerdict, allow, deny


class ReadOnly:
    """`G2-RO-001` the tool is of a write class."""

    guard: GuardName = "G2"

    def check(self, call: CallView) -> RuleVerdict:
        """The verdict on one call."""
        if call.tool is None or call.tool.access == "write":
            return deny("G2", "G2-RO-001", "the tool is of a write class; only reading is allowed")
        return allow("G2", f"access {call.tool.access}")
