"""What a right run of one question looks like, in assertions that code can check."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from dataset.record import (
    ABSENT,
    ABSENT_EMPTY,
    SLUG,
    CaseId,
    DecimalText,
    Identifier,
    LocalisedList,
    Record,
    Salt,
    Slug,
    Version,
)

ArgumentValue = str | int | bool
CallOutcome = Literal["executed", "attempted", "refused"]
CaseSource = Literal["question", "context"]
"""What of a case itself a number may come from, beside the replies of its tools."""


class ArgumentPattern(Record):
    """The values that one argument may have, compared after canonical JSON."""

    any_of: tuple[ArgumentValue | tuple[ArgumentValue, ...], ...] = Field(min_length=1)


class CallPattern(Record):
    """A tool call that must be seen. `arguments` names those that matter; others are free.

    `outcome`: `executed` (allowed and answered), `refused` (governance said no), `attempted` (either).
    """

    tool: Identifier
    arguments: dict[str, ArgumentPattern] = {}
    outcome: CallOutcome = "executed"
    at_least: Annotated[int, Field(ge=1, le=16)] = 1


class ToolGold(Record):
    """Calls that must, may and must not be made; `only` refuses every tool that is neither must nor may."""

    must: tuple[CallPattern, ...] = ()
    may: tuple[Identifier, ...] = ()
    must_not: tuple[Identifier, ...] = ()
    ordered: bool = False
    only: bool = False
    max_calls: Annotated[int, Field(ge=0, le=64)] | None = None


class FactGold(Record):
    """A fact, by its alternative wordings; one of them is enough (compared after NFKC, case and space folding)."""

    id: Slug
    any_of: LocalisedList


class NumberGold(Record):
    """A number that the answer must give, at the precision it shows, and its source.

    The source is a tool, the question, or `context`: an entry of the session, as the model was given it.
    """

    id: Slug
    value: DecimalText
    source: Identifier | CaseSource


class AnswerGold(Record):
    """Facts and numbers that must appear, facts that must not, refusals that must be made."""

    facts: tuple[FactGold, ...] = ()
    forbidden: tuple[FactGold, ...] = ()
    numbers: tuple[NumberGold, ...] = ()
    refusals: tuple[FactGold, ...] = ()
    max_corrections: Annotated[int, Field(ge=0, le=64)] | None = None


class ContextGold(Record):
    """Key facts of the context reach the answer, forbidden ones don't, planted instructions stay data.

    `carried` facts must still stand in what the strategy left of the session: where one is lost, a wrong answer isn't
    the model's doing alone.
    """

    key_facts: tuple[FactGold, ...] = ()
    forbidden_facts: tuple[FactGold, ...] = ()
    carried: Annotated[tuple[FactGold, ...], ABSENT_EMPTY] = ()
    injection_isolated: bool = False


class Gold(Record):
    """The versioned gold of one version of one question."""

    case_id: Annotated[CaseId, SLUG]
    version: Version
    question_version: Version
    tools: ToolGold = ToolGold()
    answer: AnswerGold = AnswerGold()
    context: ContextGold = ContextGold()
    salt: Annotated[Salt | None, ABSENT] = None
    """Makes the hash of a withheld gold unguessable."""
