"""Releases of many runs and models, made of runs that are all alike."""

from __future__ import annotations

from tests.factories.snapshot import SampleBatch, make_batch

_CASES = tuple(f"case-{number:02}" for number in range(25))
_VARIANTS = 2
MODELS_A_BATCH = 20


def large_batches(runs: int, models: int) -> list[SampleBatch]:
    """Batches of up to twenty models each over the same 25 cases, with so many runs in all, or a few more."""
    repeats = max(1, -(-runs // (models * len(_CASES) * _VARIANTS)))
    names = [f"model-{number:03}" for number in range(models)]
    return [
        make_batch(
            f"batch-{start:04}",
            case_ids=_CASES,
            model_keys=tuple(names[start : start + MODELS_A_BATCH]),
            repeats=repeats,
        )
        for start in range(0, models, MODELS_A_BATCH)
    ]
