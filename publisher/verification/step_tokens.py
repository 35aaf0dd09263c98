"""Whether each model call was given as many tokens as its record says: opening, turns and tools counted again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from dataset.artifacts.artifact import Artifact, ModelStep, Step, StepTokens
from dataset.artifacts.outside_text import written
from dataset.context.framing import MESSAGE_OVERHEAD, data_messages
from dataset.context.interface import Decision
from dataset.context.token_counter import ADDITIVE_SLACK, count_tokens
from dataset.context.turn import tools_tokens, turn_tokens
from dataset.context.wire_text import wire_arguments, wire_text
from dataset.questions.variant import Variant
from dataset.tools.catalogue import Catalogue
from publisher.verification.delivery import tools_before
from publisher.verification.difference import Difference

_SEAM = count_tokens("\n\n")


def step_token_differences(
    artifact: Artifact, decisions: Sequence[Decision], variant: Variant, catalogue: Catalogue
) -> Iterator[Difference]:
    """Every count that isn't that of what the call was given.

    The text of the system prompt is withheld. Where policy stands beside it in one message, what their seams add is
    known within the counter's slack only; it is the same at each step.
    """
    instructions = [d.item.tokens for d in decisions if d.item.instructs and d.working_text is not None]
    seams = max(len(instructions) - 1, 0)
    opening = sum(instructions) + seams * _SEAM + MESSAGE_OVERHEAD
    opening += _data_tokens(tuple(decisions))
    slack = 2 * seams * ADDITIVE_SLACK
    added: int | None = None
    for position, entry in enumerate(artifact.context.step_tokens):
        try:
            expected = opening + _given(artifact, entry, variant, catalogue)
        except LookupError:
            continue  # the catalogue lacks the scene, which the check of the loaded tools names
        off = entry.tokens - expected
        added = off if added is None else added
        if abs(off) > slack or off != added:
            yield Difference(
                place=f"/context/step_tokens/{position}/tokens",
                expected=f"{expected}" if not slack else f"{expected} ± {slack}, by as much as at the other steps",
                observed=str(entry.tokens),
                message="is not what the call was given",
            )


@lru_cache(maxsize=256)
def _data_tokens(decisions: tuple[Decision, ...]) -> int:
    """What the data of an opening takes; the runs of a case and variant share it."""
    return sum(message.tokens for message in data_messages(decisions))


def _given(artifact: Artifact, entry: StepTokens, variant: Variant, catalogue: Catalogue) -> int:
    """The tokens of the turns before a step and of the tools loaded for it."""
    turns = sum(map(_turn, artifact.steps[: entry.step]))
    tools = tools_before(artifact, variant, catalogue, entry.step)
    return turns + tools_tokens([tool.form_text(variant.locale) for tool in tools])


def _turn(step: Step) -> int:
    if not isinstance(step, ModelStep):
        return turn_tokens(wire_text(written(step.result)))
    calls = [(wire_text(written(c.name)), wire_arguments(written(c.arguments_raw))) for c in step.tool_calls]
    return turn_tokens(wire_text(written(step.text or "")), calls)
