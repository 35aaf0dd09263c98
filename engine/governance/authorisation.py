"""G3: the login state must be enough for the tool."""

from __future__ import annotations

from engine.governance.interface import CallView, GuardName, RuleVerdict, allow, deny


class Authorisation:
    """`G3-AUTH-001` not logged in, `G3-AUTH-002` permission missing."""

    guard: GuardName = "G3"

    def check(self, call: CallView) -> RuleVerdict:
        """The verdict on one call."""
        tool = call.tool
        if tool is None:
            return deny("G3", "G3-AUTH-002", "no tool to authorise")
        if tool.requires_login and call.login_state == "anonymous":
            return deny("G3", "G3-AUTH-001", "the tool needs a logged-in customer")
        if tool.permission is not None and not call.catalogue.holds(tool.permission, call.login_state):
            return deny("G3", "G3-AUTH-002", f"permission {tool.permission} isn't held in state {call.login_state}")
        return allow("G3", f"permission {tool.permission or 'not needed'}")
