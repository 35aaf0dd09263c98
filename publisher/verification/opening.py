"""Whether the model was given what the question and its variant say: context, session, budget, tool delivery."""

from __future__ import annotations

from collections.abc import Iterator

from dataset.artifacts.artifact import Artifact
from dataset.canonical import Json, sha256_hex
from dataset.questions.question import Question
from dataset.questions.variant import Variant
from publisher.verification.difference import Difference, compare

_SYSTEM_PROMPT = "system-prompt"


def opening_differences(artifact: Artifact, question: Question, variant: Variant) -> Iterator[Difference]:
    """Every part of the context that isn't the published question's, in the variant's language and limits."""
    context = artifact.context
    for name, wanted, found in (
        ("strategy", variant.context_strategy, context.strategy),
        ("budget", variant.context_budget, context.budget),
    ):
        for difference in compare("disagrees with the variant", wanted, found):
            yield difference.within_pointer(f"/context/{name}")
    for position, loaded in enumerate(artifact.visible_tools):
        for difference in compare("disagrees with the variant", variant.tool_delivery, loaded.delivery):
            yield difference.within_pointer(f"/visible_tools/{position}/delivery")
    expected = _items(question, variant)
    recorded: list[Json] = []
    for item, like in zip(context.items, expected, strict=False):
        body = item.body()
        recorded.append({name: body[name] for name in (like if isinstance(like, dict) else ())})
    recorded += [item.id for item in context.items[len(expected) :]]
    for difference in compare("is not what the question brings", expected, recorded):
        yield difference.within_pointer("/context/items")


def _items(question: Question, variant: Variant) -> list[Json]:
    """System prompt, session in its order, question. The text of the prompt is withheld; its hash isn't of it alone."""
    session: list[Json] = [
        {
            **entry.model_dump(mode="json", include={"id", "category", "role", "trust", "required", "source"}),
            **_text(entry.text.to(variant.locale)),
        }
        for entry in question.session
    ]
    prompt = _fixed(_SYSTEM_PROMPT, "system", "system", f"prompt {variant.prompt} v{variant.prompt_version}")
    asked = _fixed("question", "question", "user", f"case {question.id} v{question.version}")
    return [prompt, *session, {**asked, **_text(question.text.to(variant.locale))}]


def _fixed(name: str, category: str, role: str, source: str) -> dict[str, Json]:
    return {
        "id": name,
        "category": category,
        "role": role,
        "trust": "trusted",
        "required": True,
        "source": source,
    }


def _text(text: str) -> dict[str, Json]:
    return {"text": text, "sha256": sha256_hex(text.encode("utf-8", "surrogatepass"))}
