"""The gate of a call with the ledger behind it: admitted and committed, marked before the first byte, settled."""

from __future__ import annotations

from dataset.artifacts.definition import PlannedRun
from dataset.measures.giving_up import BUDGET_USED_UP, NOT_BOUNDED
from dataset.record import UtcTime
from dataset.store.attempt import Admitted, AttemptKey, Decision, Deferred, DenialCode, Denied
from dataset.store.leases import Lease
from dataset.store.ledger_drift import LedgerDriftError
from dataset.store.ledger_writes import MarkSent, Reserve, Settle
from dataset.store.policies import PolicyHashError
from engine.ledger.account import Account, RunPlace
from engine.providers.interface import (
    AdmissionDeniedError,
    AdmissionStoppedError,
    ModelRequest,
    TryOutcome,
)
from engine.telemetry.journal import LoopJournal
from engine.telemetry.watch import UNWATCHED, SettledState, Watch

GIVES_UP: dict[DenialCode, str] = {
    "LEDGER-BUDGET-001": BUDGET_USED_UP,
    "LEDGER-UNBOUNDED-001": NOT_BOUNDED,
    "LEDGER-OVERSIZE-001": NOT_BOUNDED,
}
"""Denials that are about this run or end its batch; any other stops the batch without a record."""
LONGEST_WAIT_SECONDS = 5.0
"""However long a shortage may last, it is looked at again after this, because another worker may have ended it."""


class LedgerGates:
    """The gates of one attempt at a run."""

    def __init__(
        self,
        journal: LoopJournal,
        account: Account,
        lease: Lease,
        plan: PlannedRun,
        attempt: int,
        *,
        watch: Watch = UNWATCHED,
    ) -> None:
        self._journal = journal
        self._account = account
        self._lease = lease
        self._plan = plan
        self._attempt = attempt
        self._watch = watch

    def for_call(self, request: ModelRequest, *, step: int) -> LedgerGate:
        """The gate of the call that makes a step of the run's timeline."""
        source = f"{self._plan.run_id}/{self._attempt}"
        place = RunPlace(run_id=self._plan.run_id, attempt=self._attempt, step=step)
        return LedgerGate(
            self._journal,
            self._account,
            lease=self._lease,
            source=source,
            call_key=f"{source}/{step}",
            place=place,
            request=request,
            watch=self._watch,
        )


class LedgerGate:
    """Each try is an attempt of the ledger under its own ordinal."""

    def __init__(
        self,
        journal: LoopJournal,
        account: Account,
        *,
        lease: Lease | None,
        source: str,
        call_key: str,
        place: RunPlace | None,
        request: ModelRequest,
        watch: Watch = UNWATCHED,
    ) -> None:
        self._journal = journal
        self._account = account
        self._lease = lease
        self._source = source
        self._call_key = call_key
        self._place = place
        self._request = request
        self._watch = watch
        self._marked = False
        self._ordinal = 0
        self._sent_at: UtcTime | None = None
        self._digest = account.request_digest(request)

    async def admit(self) -> None:
        """Waits out passing shortages. AdmissionDeniedError, AdmissionStoppedError, StoreError."""
        self._ordinal += 1
        self._marked = False
        while True:
            decision = await self._decide()
            match decision:
                case Admitted():
                    return
                case Deferred(scope=scope, limit=limit, seconds=seconds):
                    self._watch.deferred(scope.kind, limit)
                    await self._account.line.wait(min(seconds, LONGEST_WAIT_SECONDS))
                case Denied():
                    raise _denied(decision)

    async def sending(self) -> None:
        """Marks the attempt as sent and waits until that is durable."""
        self._sent_at = self._account.clock.now()
        await self._journal.write(MarkSent(lease=self._lease, source=self._source, key=self._key))
        self._marked = True
        self._watch.sent()

    def settle(self, outcome: TryOutcome | None) -> None:
        """Posts the settlement; no later write of the same run is durable before it."""
        started_at = self._sent_at or self._account.clock.now()
        settlement = self._account.settlement(self._key, outcome, started_at=started_at)
        state: SettledState = "settled_actual" if settlement.is_known else "settled_conservative"
        code = None if outcome is None else outcome.code
        self._watch.settled(state if self._marked else "released_pre_send", code, was_sent=self._marked)
        # Without the lease: what was sent is to be paid for, whoever has the slice now.
        self._journal.post(Settle(lease=None, source=self._source, settlement=settlement))
        self._account.line.move_up()  # within a group, what is settled is free for what is then reserved

    @property
    def _key(self) -> AttemptKey:
        return AttemptKey(self._call_key, self._ordinal)

    async def _decide(self) -> Decision:
        reservation = self._account.reservation(
            self._key,
            place=self._place,
            lease_token=None if self._lease is None else self._lease.token,
            request_digest=self._digest,
            input_tokens=self._request.input_tokens,
            output_tokens=self._request.max_output_tokens,
        )
        write = Reserve(lease=self._lease, source=self._source, reservation=reservation, rule=self._account.rule)
        try:
            decision: Decision = await self._journal.write(write)
        except (LedgerDriftError, PolicyHashError) as error:
            raise AdmissionStoppedError(error.message, code=error.code, hint=error.hint) from None
        return decision


def _denied(denial: Denied) -> AdmissionDeniedError | AdmissionStoppedError:
    limit = f" ({denial.scope}, {denial.limit})" if denial.limit else f" ({denial.scope})"
    code = GIVES_UP.get(denial.code)
    if code is not None:
        return AdmissionDeniedError(f"{denial.code}{limit}: {denial.detail}", code=code)
    return AdmissionStoppedError(
        f"the ledger admits no call{limit}: {denial.detail}",
        code=denial.code,
        hint="see `glassbench ledger show`, and `glassbench policy apply` for other limits of new batches",
    )
