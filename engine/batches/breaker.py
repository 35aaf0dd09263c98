"""Stops a batch whose model can't be asked, before run after run is recorded as invalid."""

from __future__ import annotations

from dataclasses import dataclass, field

from dataset.artifacts.artifact import ResultSection
from dataset.artifacts.definition import PlannedRun
from dataset.errors import GlassbenchError
from engine.telemetry.assembly import Sealed

LASTING = frozenset({"authentication_error", "script_missing", "replay_missing"})
"""Failures that no waiting mends."""
NOBODY_ANSWERS = LASTING | {"connect_timeout", "network_error"}
"""Failures that say the entry, the key or the server is wrong, whatever was asked."""
NOT_NOW = frozenset({"rate_limited"})
"""Failures that say: later. Any other failure may lie in the one request, once a model has answered others."""
ANSWERED_TOO_LONG = "output_truncated"
"""The model was there and spent its limit: the run is the model's, whatever came of it."""
MOST_IN_A_ROW = 3
SCRIPT_GAPS = {
    "script_missing": "add the transcript to the pack, raise the pack's version, import it and create a new batch",
    "replay_missing": (
        "the recorded batch was asked something else than this version asks: replay it with the version that recorded "
        "it (`code` in its artifacts), or create a batch that asks anew"
    ),
}


class ModelUnreachableError(GlassbenchError):
    """A model that can't be asked: the batch stops, and what isn't recorded is run the next time.

    `passing`: it has answered before in this batch, or says "later", so that trying again may help.
    """

    code = "BATCH-MODEL-002"

    def __init__(self, message: str, *, hint: str, passing: bool) -> None:
        super().__init__(message, hint=hint)
        self.passing = passing


@dataclass(frozen=True, kw_only=True, slots=True)
class Finished:
    """A run that is sealed and not recorded yet."""

    plan: PlannedRun
    attempt: int
    sealed: Sealed = field(repr=False)

    @property
    def result(self) -> ResultSection:
        """How it ended."""
        return self.sealed.result


class Breaker:
    """Watches the finished runs of one session, model by model, and says which may be recorded.

    A run that its provider failed is held back until the model answers another, or until the batch ends; then it is
    recorded as invalid. Where the model turns out not to be askable at all, the runs held back stay missing.
    `answered`: the models that have given a reply in this batch before; those that answer now join them. Of a replay
    only a missing answer stops the batch: a failure that was recorded says nothing of a server now.
    """

    def __init__(self, answered: set[str], *, replayed: bool = False) -> None:
        self._answered = answered
        self._replayed = replayed
        self._held: dict[str, list[Finished]] = {}

    def watch(self, run: Finished) -> list[Finished]:
        """The runs to record now, in their order; ModelUnreachableError where the batch must stop."""
        model, error = run.plan.model_key, run.result.error
        if run.result.model_steps or (error is not None and error.code == ANSWERED_TOO_LONG):
            self._answered.add(model)
        if self._replayed:
            if error is not None and error.code == "replay_missing":
                raise self._unreachable(run)
            return [run]
        held = self._held.setdefault(model, [])
        held.append(run)
        if run.result.status != "provider_failed" or error is None or error.code == ANSWERED_TOO_LONG:
            return self._held.pop(model)
        streak = sum(1 for other in held if self._speaks_of_the_model(other))
        if streak >= self._most(model, error.code):
            raise self._unreachable(run)
        return []

    def rest(self) -> list[Finished]:
        """The runs still held back when nothing is left to run; ModelUnreachableError for a model without any reply."""
        left = [run for held in self._held.values() for run in held]
        for run in left:
            if run.plan.model_key not in self._answered:
                raise self._unreachable(run)
        return left

    def _speaks_of_the_model(self, run: Finished) -> bool:
        """Whether a failure tells of the model as a whole rather than of the one request."""
        code = run.result.error.code if run.result.error else ""
        return code in NOBODY_ANSWERS | NOT_NOW or run.plan.model_key not in self._answered

    def _most(self, model: str, code: str) -> int:
        return 1 if code in NOBODY_ANSWERS and model not in self._answered else MOST_IN_A_ROW

    def _unreachable(self, run: Finished) -> ModelUnreachableError:
        error = run.result.error
        reason = f"{error.code}: {error.message}" if error else "no reply"
        hint = "mend its entry, its key or its server, then run the batch again: only what is missing is run"
        if error is not None and error.code in SCRIPT_GAPS:
            hint = SCRIPT_GAPS[error.code]
        passing = error is not None and error.code not in LASTING and run.plan.model_key in self._answered
        return ModelUnreachableError(
            f"model {run.plan.model_key} can't be asked: {reason}",
            hint=hint,
            passing=passing or (error is not None and error.code in NOT_NOW),
        )
