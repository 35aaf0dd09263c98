"""The gate that lets every try pass and records nothing: for calls that no ledger stands behind."""

from __future__ import annotations

from engine.providers.interface import ModelRequest, TryOutcome


class OpenGate:
    """Admits at once. It is its own set of gates."""

    def for_call(self, request: ModelRequest, *, step: int) -> OpenGate:
        """Itself."""
        return self

    async def admit(self) -> None:
        """Nothing to wait for."""

    async def sending(self) -> None:
        """Nothing to mark."""

    def settle(self, outcome: TryOutcome | None) -> None:
        """Nothing to settle."""
