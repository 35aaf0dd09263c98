"""Whether anyone can have a model's weights: one word for each model, the one that was stated last."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dataset.artifacts.definition import Weights
from publisher.rendering.snapshot.snapshot import PublishedBatch


def stated_weights(batches: Sequence[PublishedBatch]) -> Mapping[str, Weights]:
    """By model key what the latest batch that states it says; nothing for a model of which it was never stated."""
    ordered = sorted(batches, key=lambda batch: (batch.release, batch.report.started_at, batch.report.batch_id))
    return {
        model.key: model.weights
        for batch in ordered
        for model in batch.report.definition.models
        if model.weights is not None
    }
