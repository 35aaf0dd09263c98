"""Stops a batch whose model can't be asked, before run after run is recorded as invalid."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from dataset.artifacts.artifact import Artifact
from dataset.artifacts.definition import PlannedRun
from dataset.errors import GlassbenchError

NOBODY_ANSWERS = frozenset({"authentication_error", "connect_timeout", "network_error", "script_missing"})
"""Failures that say the entry, the key or the server is wrong, whatever was asked."""
NOT_NOW = frozenset({"rate_limited"})
"""Failures that say: later. Any other failure may lie in the one request, once a model has answered others."""
MOST_IN_A_ROW = 3


class ModelUnreachableError(GlassbenchError):
    """A model that can't be asked: the batch stops, and what isn't recorded is run the next time."""

    code = "BATCH-MODEL-002"


@dataclass(frozen=True, kw_only=True, slots=True)
class Finished:
    """A run that is sealed and not recorded yet."""

    plan: PlannedRun
    attempt: int
    data: bytes = field(repr=False)
    artifact: Artifact = field(repr=False)


class Breaker:
    """Watches the finished runs of one session, model by model, and says which may be recorded.

    A run that its provider failed is held back until the model answers another, or until the batch ends; then it is
    recorded as invalid. Where the model turns out not to be askable at all, the runs held back stay missing.
    `answered`: the models that have given a reply in this batch before.
    """

    def __init__(self, answered: Iterable[str] = ()) -> None:
        self._answered = set(answered)
        self._held: dict[str, list[Finished]] = {}

    def watch(self, run: Finished) -> list[Finished]:
        """The runs to record now, in their order; ModelUnreachableError where the batch must stop."""
        model, error = run.plan.model_key, run.artifact.result.error
        if run.artifact.result.model_steps:
            self._answered.add(model)
        held = self._held.setdefault(model, [])
        held.append(run)
        if run.artifact.result.status != "provider_failed" or error is None:
            return self._held.pop(model)
        streak = sum(1 for other in held if self._speaks_of_the_model(other))
        if streak >= self._most(model, error.code):
            raise _unreachable(run)
        return []

    def rest(self) -> list[Finished]:
        """The runs still held back when nothing is left to run; ModelUnreachableError for a model without any reply."""
        left = [run for held in self._held.values() for run in held]
        for run in left:
            if run.plan.model_key not in self._answered:
                raise _unreachable(run)
        return left

    def _speaks_of_the_model(self, run: Finished) -> bool:
        """Whether a failure tells of the model as a whole rather than of the one request."""
        code = run.artifact.result.error.code if run.artifact.result.error else ""
        return code in NOBODY_ANSWERS | NOT_NOW or run.plan.model_key not in self._answered

    def _most(self, model: str, code: str) -> int:
        return 1 if code in NOBODY_ANSWERS and model not in self._answered else MOST_IN_A_ROW


def _unreachable(run: Finished) -> ModelUnreachableError:
    error = run.artifact.result.error
    reason = f"{error.code}: {error.message}" if error else "no reply"
    hint = "mend its entry, its key or its server, then run the batch again: only what is missing is run"
    if error is not None and error.code == "script_missing":
        hint = "add the transcript to the pack, raise the pack's version, import it and create a new batch"
    return ModelUnreachableError(f"model {run.plan.model_key} can't be asked: {reason}", hint=hint)
