"""What two batches must share for their numbers to stand side by side."""

from __future__ import annotations

from collections.abc import Mapping

from dataset.artifacts.definition import BatchDefinition
from dataset.canonical import Json


def board_key(definition: BatchDefinition) -> tuple[str, str, str]:
    """What the rows of one leaderboard share: the template, the bank and the judge. A batch that was judged again by
    another judge is compared with its own first judgment, and with nobody else's."""
    return (definition.template_hash, definition.bank_hash, definition.judge_version)


def foundations(definition: BatchDefinition) -> Mapping[str, Json]:
    """Everything else that a model's rate can depend on, by name, each as a value that is the same or not."""
    return {
        "cases": [[case.id, case.version, case.hash, case.gold_hash] for case in definition.cases],
        "variants": [[variant.id, variant.version, variant.hash] for variant in definition.variants],
        "catalogue": definition.catalogue_hash,
        "fixtures": definition.fixture_set.hash,
        "prompts": [prompt.hash for prompt in definition.prompts],
        "guardrails": definition.guardrails.hash,
        "limits": definition.limits.body(),
    }
