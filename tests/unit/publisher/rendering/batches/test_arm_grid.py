"""The words and places of axes: the one list of what a variant can differ in decides what there has to be."""

from __future__ import annotations

from dataset.questions.variant import VARIANT_AXES
from publisher.rendering.batches.arm_grid import AXES_DOWN, axis_value
from tests.factories import VARIANTS


def test_every_axis_has_its_turn_to_go_down_and_words_for_its_values() -> None:
    assert sorted(AXES_DOWN) == sorted(VARIANT_AXES)
    assert all(axis_value(axis, VARIANTS[0]) for axis in VARIANT_AXES)
