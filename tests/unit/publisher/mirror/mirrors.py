"""Small batches, and what a verification of a mirror found."""

from __future__ import annotations

from pathlib import Path

from publisher.mirror.given import Given
from publisher.mirror.mirror import MirrorVerification, verify_mirror
from tests.factories import VARIANTS, SampleBatch, make_batch


def small_batch(batch_id: str, text: str = "") -> SampleBatch:
    """Two runs."""
    return make_batch(
        batch_id, case_ids=("fund-nav", "order-history"), model_keys=("careful",), variants=VARIANTS[:1], text=text
    )


def verified(directory: Path, given: Given | None = None, *, workers: int = 1) -> MirrorVerification:
    """The verification of a mirror, with nothing given unless said."""
    return verify_mirror(directory, given or Given(), workers=workers)


def places(found: MirrorVerification) -> list[str]:
    """Where a verification found differences."""
    return [difference.place for difference in found.differences]


def messages(found: MirrorVerification) -> str:
    """All that a verification says of differences."""
    return "\n".join(map(str, found.differences))
