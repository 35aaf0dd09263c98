"""Whether the context was decided as its strategy decides: made again from the question, the variant and the budget."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from dataset.artifacts.artifact import Artifact, ContextItemRecord
from dataset.artifacts.outside_text import OutsideText, keep
from dataset.canonical import Json
from dataset.context.interface import UNOPENED, Decision
from dataset.context.opening_items import SYSTEM_PROMPT, opening_items
from dataset.context.strategies import strategy_of
from dataset.context.token_counter import COUNTER_VERSION
from dataset.errors import GlassbenchError
from dataset.questions.question import Question
from dataset.questions.variant import Variant
from dataset.tools.catalogue import Catalogue
from publisher.verification.difference import Difference, compare, fault
from publisher.verification.run_check import shows
from publisher.verification.step_tokens import step_token_differences

_PLACE = "/context/items"


def context_differences(
    artifact: Artifact, question: Question, variant: Variant, catalogue: Catalogue | None
) -> Iterator[Difference]:
    """Every decision, reason, count and working text that the variant's strategy doesn't come to.

    The text of the system prompt is withheld: how many tokens it has is taken from the record. What each call was given
    is counted where the catalogue of its tools is published.
    """
    context = artifact.context
    for difference in compare("no such token counter is known", COUNTER_VERSION, context.counter_version):
        yield difference.within_pointer("/context/counter_version")
    before = context.opening_budget is None and variant.context_reserve is None
    wanted = None if before else variant.opening_budget
    for difference in compare("disagrees with the variant", wanted, context.opening_budget):
        yield difference.within_pointer("/context/opening_budget")
    if context.counter_version != COUNTER_VERSION or not context.items:
        return
    prompt_tokens = context.items[0].original_tokens if context.items[0].id == SYSTEM_PROMPT else 0
    decisions = _decided(question, variant, prompt_tokens)
    opened = any(item.decision != "omitted" for item in context.items)
    asked = shows(artifact, "steps") and artifact.steps
    if not opened and (asked or context.step_tokens):
        yield fault(_PLACE, "a call was prepared, and yet the context was never opened")
    if opened and isinstance(decisions, GlassbenchError):
        yield fault(_PLACE, "what must be whole doesn't fit the budget, and yet the context was opened")
    elif opened and not isinstance(decisions, GlassbenchError):
        expected: list[Json] = [_as_recorded(decision) for decision in decisions]
        found: list[Json] = [_recorded(item) for item in context.items]
        for difference in compare(f"is not what strategy {variant.context_strategy} decides", expected, found):
            yield difference.within_pointer(_PLACE)
        if catalogue is not None and shows(artifact, "case", "steps"):
            yield from step_token_differences(artifact, decisions, variant, catalogue)
    else:
        yield from _unopened_differences(artifact, decisions, context.items)


def _unopened_differences(
    artifact: Artifact, decisions: Sequence[Decision] | GlassbenchError, items: Sequence[ContextItemRecord]
) -> Iterator[Difference]:
    if shows(artifact, "result") and artifact.result.status == "context_failed":
        if isinstance(decisions, GlassbenchError):
            yield from _failure_differences(artifact, decisions)
        else:
            yield fault(_PLACE, "the context fits its budget, and yet the run says that it failed")
    for position, item in enumerate(items):
        if item.working_tokens or item.working_text is not None:
            yield fault(f"{_PLACE}/{position}", "is in a context that was never opened")


def _failure_differences(artifact: Artifact, error: GlassbenchError) -> Iterator[Difference]:
    """How much was needed and how much there was, as the run tells it."""
    told = artifact.result.error.message if artifact.result.error else None
    for difference in compare("is not why the context doesn't fit", error.message, told):
        yield difference.within_pointer("/result/error/message")
    reasons: list[Json] = [item.reason for item in artifact.context.items]
    for difference in compare("is not why the item is left out", [UNOPENED] * len(reasons), reasons):
        yield difference.within_pointer(_PLACE)


@lru_cache(maxsize=256)
def _decided(question: Question, variant: Variant, prompt_tokens: int) -> tuple[Decision, ...] | GlassbenchError:
    """The strategy's decisions, or why it can't come to any. Runs of a case share them."""
    items = opening_items(question, variant, prompt_text="", prompt_tokens=prompt_tokens)
    try:
        return strategy_of(variant).decide(items, budget=variant.opening_budget)
    except GlassbenchError as error:  # the budget, or a session that contradicts itself
        return error


def _as_recorded(decision: Decision) -> dict[str, Json]:
    return {
        "area": decision.area,
        "decision": decision.kind,
        "reason": decision.reason,
        "original_tokens": decision.item.tokens,
        "working_tokens": decision.working_tokens,
        "working_text": None if decision.stand_in is None else _body(keep(decision.stand_in)),
    }


def _recorded(item: ContextItemRecord) -> dict[str, Json]:
    return {
        "area": item.area,
        "decision": item.decision,
        "reason": item.reason,
        "original_tokens": item.original_tokens,
        "working_tokens": item.working_tokens,
        "working_text": None if item.working_text is None else _body(item.working_text),
    }


def _body(text: OutsideText) -> Json:
    return text if isinstance(text, str) else text.body()
