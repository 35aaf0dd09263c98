"""Stops a batch whose model can't be asked, before run after run is recorded as invalid."""

from __future__ import annotations

from collections import Counter

from dataset.artifacts.artifact import Artifact
from dataset.errors import GlassbenchError

MISCONFIGURED = frozenset(
    {
        "authentication_error",
        "connect_timeout",
        "network_error",
        "provider_4xx",
        "invalid_response",
        "empty_response",
        "script_missing",
    }
)
"""Failures that say the entry, the key or the server is wrong, rather than this one request."""
MOST_IN_A_ROW = 3


class ModelUnreachableError(GlassbenchError):
    """A model that can't be asked: the batch stops, and what isn't recorded is run the next time."""

    code = "BATCH-MODEL-002"


class Breaker:
    """Watches the runs of one session, model by model.

    A model that has given no reply yet stops the batch at its first failure that speaks of a wrong set-up; any model
    stops it at the third run in a row without a reply. The run at which it stops isn't recorded.
    """

    def __init__(self) -> None:
        self._answered: set[str] = set()
        self._in_a_row: Counter[str] = Counter()

    def watch(self, artifact: Artifact) -> None:
        """Takes one finished run that isn't recorded yet; ModelUnreachableError where the batch must stop."""
        model, error = artifact.provenance.model.key, artifact.result.error
        if artifact.result.model_steps:
            self._answered.add(model)
        if artifact.result.status != "provider_failed" or error is None:
            self._in_a_row[model] = 0
            return
        self._in_a_row[model] += 1
        wrong = error.code in MISCONFIGURED and model not in self._answered
        if wrong or self._in_a_row[model] >= MOST_IN_A_ROW:
            raise ModelUnreachableError(
                f"model {model} can't be asked: {error.code}: {error.message}",
                hint="mend its entry, its key or its server, then run the batch again: only what is missing is run",
            )
