"""The provider of runs that are given up: there is nobody to ask, so neither an entry nor a key is needed."""

from __future__ import annotations

from engine.providers.interface import AdmissionStoppedError, AttemptGate, ModelReply, ModelRequest


class Nobody:
    """Refuses every call before anything is admitted."""

    async def complete(self, request: ModelRequest, gate: AttemptGate) -> ModelReply:
        """Raises AdmissionStoppedError: a batch that is being cancelled asks no model."""
        raise AdmissionStoppedError("a batch that is being cancelled asks no model", code="BATCH-CANCEL-003")

    async def close(self) -> None:
        """Nothing to end."""
