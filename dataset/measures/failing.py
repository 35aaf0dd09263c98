"""Why the runs of a group failed, counted by run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from dataset.measures.run_facts import RunFacts, reason_kind


def failing_runs(runs: Iterable[RunFacts]) -> dict[str, int]:
    """For each kind of failed assertion the number of valid runs that have one, the most first and then by name.

    A run counts once a kind and under every kind that it has, so the numbers may add up to more than its group failed.
    """
    found = Counter(
        kind
        for run in runs
        if run.verdict != "invalid"
        for kind in sorted({reason_kind(reason) for reason in run.failure_reasons})
    )
    return dict(sorted(found.items(), key=lambda entry: (-entry[1], entry[0])))
