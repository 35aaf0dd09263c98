"""What every page of a preview says of itself: that it isn't published, and what stands in the way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

MOST_ON_TOP = 20
"""Faults that the front page names; the page of the preview has all."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PreviewedBatch:
    """How many of a batch's planned runs are shown."""

    batch_id: str
    planned: int
    shown: int


@dataclass(frozen=True, kw_only=True, slots=True)
class PreviewNotice:
    """`faults` are the lines of what the gates would refuse, with no word of a secret; `left_out` names the runs and
    batches that are shown nowhere, because the scan found something in them."""

    batches: tuple[PreviewedBatch, ...]
    faults: tuple[str, ...] = field(default=(), repr=False)
    left_out: tuple[str, ...] = ()

    @property
    def planned(self) -> int:
        """Runs of all batches that are shown."""
        return sum(batch.planned for batch in self.batches)

    @property
    def shown(self) -> int:
        """Those of them that there are pages for."""
        return sum(batch.shown for batch in self.batches)

    @property
    def on_top(self) -> Sequence[str]:
        """The first faults."""
        return self.faults[:MOST_ON_TOP]
