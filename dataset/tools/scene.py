"""Which tools are loaded where, for which login state."""

from __future__ import annotations

from typing import Literal

from dataset.record import Identifier, Localised, Record, Version

LoginState = Literal["anonymous", "logged_in", "logged_in_assessed"]
LOGIN_STATES: tuple[LoginState, ...] = ("anonymous", "logged_in", "logged_in_assessed")


class SceneTools(Record):
    """Names of the tools loaded in each login state, in the order the model sees them."""

    anonymous: tuple[Identifier, ...]
    logged_in: tuple[Identifier, ...]
    logged_in_assessed: tuple[Identifier, ...]

    def to(self, login_state: LoginState) -> tuple[str, ...]:
        """The tools loaded in one login state."""
        tools: dict[LoginState, tuple[str, ...]] = {
            "anonymous": self.anonymous,
            "logged_in": self.logged_in,
            "logged_in_assessed": self.logged_in_assessed,
        }
        return tools[login_state]


class Scene(Record):
    """A versioned place in the product where a question is asked."""

    id: Identifier
    version: Version
    title: Localised
    tools: SceneTools
