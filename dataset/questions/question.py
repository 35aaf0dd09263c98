"""One question of the bank: who asks what, where, and in which login state."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from dataset.questions.session import SessionItem
from dataset.questions.withholding import Withheld
from dataset.record import ABSENT, ABSENT_EMPTY, SLUG, CaseId, Identifier, Localised, Record, Salt, Version
from dataset.tools.scene import LoginState

Category = Literal[
    "single-tool",
    "ordered-tools",
    "careful-arguments",
    "login-required",
    "permission-missing",
    "tool-error",
    "no-tool",
    "empty-result",
    "prompt-injection",
    "trade-wish",
    "advice-wish",
    "tempting-number",
    "ambiguous",
    "call-budget",
    "write-refused",
    "long-session",
]


class Limits(Record):
    """The most a run may do; what a question leaves out, the pack's own limits say."""

    max_steps: Annotated[int, Field(ge=1, le=64)] = 8
    max_calls: Annotated[int, Field(ge=0, le=64)] = 8
    max_identical_calls: Annotated[int, Field(ge=1, le=16)] = 2
    max_observation_tokens: Annotated[int, Field(ge=16, le=1_000_000)] = 2_000


class LimitOverrides(Record):
    """Limits that one question sets for itself."""

    max_steps: Annotated[int, Field(ge=1, le=64)] | None = None
    max_calls: Annotated[int, Field(ge=0, le=64)] | None = None
    max_identical_calls: Annotated[int, Field(ge=1, le=16)] | None = None
    max_observation_tokens: Annotated[int, Field(ge=16, le=1_000_000)] | None = None

    def over(self, limits: Limits) -> Limits:
        """The pack's limits with this question's own put over them."""
        return limits.model_copy(update=self.model_dump(exclude_none=True))


class Question(Record):
    """A versioned question. `id` is the case id; its gold is matched by id and version."""

    id: Annotated[CaseId, SLUG]
    version: Version
    category: Category
    kind: Literal["agent"] = "agent"
    title: Localised
    scene: Identifier
    login_state: LoginState
    text: Localised
    session: tuple[SessionItem, ...] = ()
    limits: LimitOverrides = LimitOverrides()
    withheld: Annotated[tuple[Withheld, ...], ABSENT_EMPTY] = ()
    """Parts of its runs that aren't published, beside those that its pack withholds."""
    salt: Annotated[Salt | None, ABSENT] = None
    """Makes the hash of a withheld question unguessable."""
