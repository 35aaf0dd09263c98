"""The one rule about how many runs of a group must be valid, for the gate and for `verify`."""

from __future__ import annotations

from decimal import Decimal

from dataset.questions.template import Template


def enough_valid(valid: int, planned: int, template: Template) -> bool:
    """Whether valid / planned reaches the template's threshold."""
    return Decimal(valid) >= Decimal(template.valid_threshold) * planned
