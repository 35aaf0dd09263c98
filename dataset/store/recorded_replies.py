"""What a finished batch's models answered, read back by what they were asked. Read-only, one run at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import Connection, exists, func, select

from dataset.artifacts.artifact import Artifact, ModelStep, RunError, RunStatus
from dataset.artifacts.digest import ArtifactError, open_artifact
from dataset.record import BatchId, RunId
from dataset.store.errors import StoreError
from dataset.store.execution_tables import provider_attempt
from dataset.store.planned import standing
from dataset.store.session import Database
from dataset.store.tables import artifact, run


class RecordingError(StoreError):
    """A recorded artifact that isn't what its hash says."""

    code = "REPLAY-RECORD-001"


@dataclass(frozen=True, kw_only=True, slots=True)
class RecordedCall:
    """One call of a run: what was asked, by its digest, and the step that it left, be it a reply or a failure."""

    request_digest: str
    step: ModelStep
    message: str | None
    """Why it failed, where it did."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RecordedRun:
    """The calls of a run in their order, and how the run ended."""

    run_id: RunId
    calls: tuple[RecordedCall, ...]
    status: RunStatus
    error: RunError | None


class RecordedReplies:
    """The recorded calls of one batch, as its standing runs (the last revision of each) left them."""

    def __init__(self, database: Database, batch_id: BatchId) -> None:
        self._database = database
        self.batch_id = batch_id

    def run_at(self, position: int) -> RecordedRun | None:
        """The run that stands at a planned position; None where it left no artifact. RecordingError."""
        statement = (
            select(run.c.run_id, artifact.c.bytes)
            .join(artifact)
            .where(run.c.batch_id == self.batch_id, run.c.position == position, standing())
        )
        with self._database.transaction() as connection:
            found = connection.execute(statement).one_or_none()
            if found is None:
                return None
            try:
                opened = open_artifact(found.bytes, name=found.run_id)
            except ArtifactError as error:
                raise RecordingError(
                    f"{error.message}: no answer of it is replayed",
                    hint="the row was changed behind Glassbench's back: restore the database",
                ) from None
            return _recorded(opened, _digests(connection, opened))

    def elsewhere(self, request_digest: str) -> RecordedCall | None:
        """The first call of any run, by position, that was asked exactly this; None where none was."""
        statement = (
            select(run.c.position)
            .join(provider_attempt, provider_attempt.c.run_id == run.c.run_id)
            .join(artifact, artifact.c.run_id == run.c.run_id)
            .where(
                provider_attempt.c.batch_id == self.batch_id,
                provider_attempt.c.request_digest == request_digest,
                provider_attempt.c.run_attempt == artifact.c.attempt,
                standing(),
            )
            .order_by(run.c.position)
            .limit(1)
        )
        with self._database.transaction() as connection:
            position = connection.execute(statement).scalar_one_or_none()
        found = None if position is None else self.run_at(position)
        calls = () if found is None else found.calls
        return next((call for call in calls if call.request_digest == request_digest), None)

    def any_digest(self) -> bool:
        """Whether the ledger says of any run what was asked: batches of an older schema have no such lines."""
        asked = exists().where(provider_attempt.c.batch_id == self.batch_id, provider_attempt.c.run_id.is_not(None))
        with self._database.transaction() as connection:
            return bool(connection.execute(select(asked)).scalar_one())


def _digests(connection: Connection, opened: Artifact) -> Mapping[int, str]:
    """What was asked at each step of the attempt that the artifact was made from."""
    statement = (
        select(provider_attempt.c.step, func.min(provider_attempt.c.request_digest).label("request_digest"))
        .where(provider_attempt.c.run_id == opened.run_id, provider_attempt.c.run_attempt == opened.provenance.attempt)
        .group_by(provider_attempt.c.step)
    )
    return {row.step: row.request_digest for row in connection.execute(statement)}


def _recorded(opened: Artifact, digests: Mapping[int, str]) -> RecordedRun:
    steps = [step for step in opened.steps if isinstance(step, ModelStep)]
    error = opened.result.error
    return RecordedRun(
        run_id=opened.run_id,
        calls=tuple(
            RecordedCall(
                request_digest=digests[step.step],
                step=step,
                message=error.message if error is not None and step.error is not None else None,
            )
            for step in steps
            if step.step in digests
        ),
        status=opened.result.status,
        error=error,
    )
