"""What the model of a run answered, summed up, so that a batch that judges recorded answers again is held to them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from dataset.artifacts.artifact import ModelStep, Step


def answers_digest(steps: Iterable[Step]) -> bytes:
    """One digest over every reply and failure of a model, in their order, the calls that brought them left out."""
    found = hashlib.sha256()
    for step in steps:
        if isinstance(step, ModelStep):
            found.update(step.model_copy(update={"started_at": "", "attempts": ()}).canonical)
    return found.digest()
