"""A gate that writes down what happens to it, and does what a test wants at each point."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from engine.providers.interface import TryOutcome


async def nothing() -> None:
    """Lets the try pass."""


@dataclass(kw_only=True)
class GateDiary:
    """`seen` holds `admit`, `sending` and what was settled, in order."""

    on_admit: Callable[[], Awaitable[None]] = nothing
    on_sending: Callable[[], Awaitable[None]] = nothing
    seen: list[str | TryOutcome | None] = field(default_factory=list)

    async def admit(self) -> None:
        await self.on_admit()
        self.seen.append("admit")

    async def sending(self) -> None:
        await self.on_sending()
        self.seen.append("sending")

    def settle(self, outcome: TryOutcome | None) -> None:
        self.seen.append(outcome)

    @property
    def outcomes(self) -> list[TryOutcome | None]:
        return [entry for entry in self.seen if not isinstance(entry, str)]
