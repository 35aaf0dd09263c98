"""A reply that the output limit cut off: the model's own doing under a limit fixed before, so never invalid."""

from __future__ import annotations

from dataset.artifacts.artifact import ModelStep, ResultSection

OUTPUT_TRUNCATED = "output_truncated"
"""The code of such a step and run, and the reason for which the run fails."""


def is_truncated(result: ResultSection) -> bool:
    """Whether the run ended with a reply that was cut off before it said or called anything whole."""
    return result.status == "provider_failed" and result.error is not None and result.error.code == OUTPUT_TRUNCATED


def is_reply(step: ModelStep) -> bool:
    """Whether the model gave this reply, so that its tokens and the step count: a whole one, or one cut off."""
    return step.error in (None, OUTPUT_TRUNCATED)
