"""Who is told of the small facts inside a worker: tries, shortages, leases, commits, progress. By default nobody."""

from __future__ import annotations

from typing import Literal, Protocol

from dataset.store.attempt import LimitName, ScopeKind
from dataset.store.journal import GroupWatch
from engine.providers.interface import ProviderErrorCode

SettledState = Literal["settled_actual", "settled_conservative", "released_pre_send"]
"""How a try ends in the ledger, as this process asks for it."""


class Watch(GroupWatch, Protocol):
    """Is told on the event loop's thread (of groups on the journal's), and must not wait."""

    def progressed(self) -> None:
        """Something was really done: a run recorded, a slice served, work looked for with an answer."""
        ...

    def deferred(self, scope: ScopeKind, limit: LimitName) -> None:
        """A call must wait, because of a shortage that passes."""
        ...

    def sent(self) -> None:
        """A try is marked as sent."""
        ...

    def settled(self, state: SettledState, code: ProviderErrorCode | None, *, was_sent: bool) -> None:
        """A try has ended."""
        ...

    def renewed(self, leases: int) -> None:
        """So many leases were renewed."""
        ...

    def lost(self) -> None:
        """A lease turned out to be over while its slice was in hand."""
        ...


class Unwatched:
    """Nobody watches."""

    def progressed(self) -> None:
        """Nothing."""

    def deferred(self, scope: ScopeKind, limit: LimitName) -> None:
        """Nothing."""

    def sent(self) -> None:
        """Nothing."""

    def settled(self, state: SettledState, code: ProviderErrorCode | None, *, was_sent: bool) -> None:
        """Nothing."""

    def renewed(self, leases: int) -> None:
        """Nothing."""

    def lost(self) -> None:
        """Nothing."""

    def committing(self) -> None:
        """Nothing."""

    def committed(self, writes: int, seconds: float, *, kept: bool) -> None:
        """Nothing."""


UNWATCHED: Watch = Unwatched()
