"""Whether the model was given what the question and its variant say: context, session, budget, tool delivery."""

from __future__ import annotations

from collections.abc import Iterator

from dataset.artifacts.artifact import Artifact
from dataset.canonical import Json, sha256_hex
from dataset.context.item import ContextItem
from dataset.context.opening_items import SYSTEM_PROMPT, opening_items
from dataset.questions.question import Question
from dataset.questions.variant import Variant
from publisher.verification.difference import Difference, compare


def opening_differences(artifact: Artifact, question: Question, variant: Variant) -> Iterator[Difference]:
    """Every part of the context that isn't the published question's, in the variant's language and limits."""
    context = artifact.context
    for name, wanted, found in (
        ("strategy", variant.context_strategy, context.strategy),
        ("budget", variant.context_budget, context.budget),
    ):
        for difference in compare("disagrees with the variant", wanted, found):
            yield difference.within_pointer(f"/context/{name}")
    expected = _items(question, variant)
    recorded: list[Json] = []
    for item, like in zip(context.items, expected, strict=False):
        body = item.body()
        recorded.append({name: body[name] for name in (like if isinstance(like, dict) else ())})
    recorded += [item.id for item in context.items[len(expected) :]]
    for difference in compare("is not what the question brings", expected, recorded):
        yield difference.within_pointer("/context/items")


def mode_differences(artifact: Artifact, variant: Variant) -> Iterator[Difference]:
    """Every loading of tools that isn't in the variant's mode of delivery."""
    for position, loaded in enumerate(artifact.visible_tools):
        for difference in compare("disagrees with the variant", variant.tool_delivery, loaded.delivery):
            yield difference.within_pointer(f"/visible_tools/{position}/delivery")


def _items(question: Question, variant: Variant) -> list[Json]:
    """What the run opens with. The text of the system prompt is withheld; its hash isn't of it alone."""
    items = opening_items(question, variant, prompt_text="", prompt_tokens=0)
    return [_item(item) for item in items]


def _item(item: ContextItem) -> dict[str, Json]:
    known: dict[str, Json] = {
        "id": item.id,
        "category": item.category,
        "role": item.role,
        "trust": item.trust,
        "required": item.required,
        "source": item.source,
    }
    if item.id == SYSTEM_PROMPT:
        return known
    return {**known, "text": item.text, "sha256": sha256_hex(item.text.encode("utf-8", "surrogatepass"))}
