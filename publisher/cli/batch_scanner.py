"""The scanner that batches from the database are looked at with: their models' credentials, their packs' canaries."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from publisher.intake.interface import BatchSource
    from publisher.scanning.scanner import Scanner


def batch_scanner(
    sources: Sequence[BatchSource], known_values: Callable[[Collection[str]], Mapping[str, str]]
) -> Scanner:
    """A scanner for the batches that exist; what doesn't exist, the gates will say."""
    from publisher.scanning.scanner import default_scanner

    heads = [head for source in sources if (head := source.head()) is not None]
    models = {model.key for head in heads if head.definition is not None for model in head.definition.models}
    packs = [head.pack.head for head in heads if head.pack is not None]
    return default_scanner(
        known_values(models),
        canaries=tuple(dict.fromkeys(canary for pack in packs for canary in pack.canaries)),
        contacts=any(pack.scan_contacts for pack in packs),
    )
