"""How long a lease holds, and how often a worker looks around."""

from __future__ import annotations

from dataclasses import dataclass

from dataset.errors import GlassbenchError


class PaceError(GlassbenchError):
    """A pace at which leases would run out between two heartbeats."""

    code = "WORKER-PACE-001"


@dataclass(frozen=True, kw_only=True, slots=True)
class Pace:
    """Seconds, all by a steady clock but the lease, which the database measures.

    A worker that falls silent is taken over after `lease`; a heartbeat a third of that leaves room for two lost ones.
    """

    lease: float = 30.0
    heartbeat: float = 10.0
    watch: float = 1.0
    sweep: float = 5.0
    poll: float = 1.0
    ledger: float = 30.0
    """Between two recomputations of the ledger's totals; each admission checks its own scopes besides."""

    @classmethod
    def of_lease(cls, seconds: float) -> Pace:
        """The usual pace for leases of another length, from one second."""
        if not 1 <= seconds <= 3600:
            raise PaceError(f"a lease of {seconds:g} s: it must be 1 to 3600", hint="30 suits most networks")
        usual = cls()
        share = min(1.0, seconds / usual.lease)
        return cls(
            lease=seconds,
            heartbeat=seconds / 3,
            watch=usual.watch * share,
            sweep=usual.sweep * share,
            poll=usual.poll,
        )


USUAL = Pace()
