"""The frozen catalogue: every tool, scene and permission at one version each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from dataset.canonical import content_hash
from dataset.tools.permission import Permission
from dataset.tools.scene import LoginState, Scene
from dataset.tools.tool import Tool
from dataset.tools.tool_ranking import ToolRanking


@dataclass(frozen=True, kw_only=True)
class Catalogue:
    """Looked up by name; `content_hash` covers every entry."""

    tools: Mapping[str, Tool]
    scenes: Mapping[str, Scene]
    permissions: Mapping[str, Permission]

    def visible(self, scene: str, login_state: LoginState) -> tuple[Tool, ...]:
        """The tools loaded in a scene for a login state, in the order the scene gives them."""
        return tuple(self.tools[name] for name in self.scenes[scene].tools.to(login_state))

    def holds(self, permission: str, login_state: LoginState) -> bool:
        """Whether a login state holds a permission; an unknown permission is held by nobody."""
        known = self.permissions.get(permission)
        return known is not None and login_state in known.granted_to

    def permits(self, tool: Tool, login_state: LoginState) -> bool:
        """Whether a login state is enough for a tool: its login and its permission, wherever the tool is loaded."""
        if tool.requires_login and login_state == "anonymous":
            return False
        return tool.permission is None or self.holds(tool.permission, login_state)

    def ranking(self, login_state: LoginState) -> ToolRanking:
        """The ranking over the tools that a login state permits, worked out once."""
        if login_state not in self._rankings:
            permitted = [tool for tool in self.tools.values() if self.permits(tool, login_state)]
            self._rankings[login_state] = ToolRanking(permitted)
        return self._rankings[login_state]

    @cached_property
    def _rankings(self) -> dict[LoginState, ToolRanking]:
        return {}

    @cached_property
    def content_hash(self) -> str:
        """sha256 over the hashes of every tool, scene and permission, by name."""
        parts: dict[str, Mapping[str, Tool] | Mapping[str, Scene] | Mapping[str, Permission]] = {
            "tools": self.tools,
            "scenes": self.scenes,
            "permissions": self.permissions,
        }
        return content_hash(
            {kind: {name: entry.digest() for name, entry in sorted(entries.items())} for kind, entries in parts.items()}
        )
