"""G5: arguments must be JSON and match the tool's schema."""

from __future__ import annotations

from engine.governance.interface import CallView, GuardName, RuleVerdict, allow, deny


class Schema:
    """`G5-SCHEMA-001` mismatch (also JSON that isn't an object), `G5-SCHEMA-002` not JSON (also nested too deep)."""

    guard: GuardName = "G5"

    def check(self, call: CallView) -> RuleVerdict:
        """The verdict on one call."""
        if call.arguments.fault is not None:
            return deny("G5", "G5-SCHEMA-002", f"arguments are not JSON: {call.arguments.fault}")
        if call.tool is None:
            return deny("G5", "G5-SCHEMA-001", "no schema to match")
        if not isinstance(call.arguments.value, dict):
            return deny("G5", "G5-SCHEMA-001", "arguments must be a JSON object")
        faults = call.tool.argument_faults(call.arguments.value)
        if faults:
            return deny("G5", "G5-SCHEMA-001", "; ".join(faults))
        return allow("G5", "arguments match the schema")
