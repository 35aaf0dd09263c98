"""One call to a model before a batch may make thousands: through the ledger, like every call that may cost money."""

from __future__ import annotations

from dataclasses import dataclass

from dataset.artifacts.artifact import Usage
from dataset.errors import GlassbenchError
from dataset.measures.giving_up import BUDGET_USED_UP
from dataset.record import BatchId
from engine.batches.breaker import ANSWERED_TOO_LONG
from engine.context.canary import CANARY_INPUT_TOKENS, CANARY_MESSAGES, CANARY_OUTPUT_TOKENS
from engine.ledger.account import Account
from engine.ledger.gate import LedgerGate
from engine.preflight.errors import PreflightError
from engine.preflight.look_up import cannot_be_asked
from engine.preflight.naming import is_same_model
from engine.preflight.subject import Subject
from engine.providers.http_provider import HttpProvider
from engine.providers.interface import AdmissionDeniedError, ModelRequest, ProviderError, RequestOrigin
from engine.telemetry.journal import LoopJournal


@dataclass(frozen=True, kw_only=True, slots=True)
class Canary:
    """A canary that passed. `returned` is the name that the server gave, None where it gave none."""

    call_key: str
    returned: str | None
    usage: Usage
    latency_ms: int


def canary_request(batch_id: BatchId) -> ModelRequest:
    """The smallest question that needs an answer."""
    return ModelRequest(
        messages=CANARY_MESSAGES,
        tools=(),
        max_output_tokens=CANARY_OUTPUT_TOKENS,
        input_tokens=CANARY_INPUT_TOKENS,
        origin=RequestOrigin(run_id=f"canary/{batch_id}", case_id="canary", locale="en", repeat=1, turn=0),
    )


async def send_canary(
    subject: Subject, account: Account, journal: LoopJournal, *, number: int, may_be_spent: bool
) -> Canary | None:
    """The canary's answer; every try of it is in the ledger as `canary/<batch>/<number>`.

    None where the budget is used up and `may_be_spent`: such a batch is started to end with what it has. PreflightError
    where the model gives no answer, or another model does; AdmissionDeniedError, AdmissionStoppedError, StoreError.
    """
    request = canary_request(account.batch_id)
    call_key = f"canary/{account.batch_id}/{number}"
    gate = LedgerGate(journal, account, lease=None, source=call_key, call_key=call_key, place=None, request=request)
    provider = HttpProvider(subject.entry, subject.codec, subject.key)
    try:
        reply = await provider.complete(request, gate)
        returned, usage, latency_ms = reply.model_returned, reply.usage, reply.latency_ms
    except ProviderError as error:
        # One that thinks before it answers spends the small limit on that: it was there, and said who it is.
        if error.error_code != ANSWERED_TOO_LONG:
            raise cannot_be_asked(subject, f"{error.code}: {error.message}") from None
        returned, usage, latency_ms = error.reported.model_returned, error.usage, error.latency_ms
    except AdmissionDeniedError as error:
        if error.code == BUDGET_USED_UP and may_be_spent:
            return None
        raise _not_admitted(subject, error) from None
    finally:
        await provider.close()
        journal.forget(call_key)
    if returned is not None and not is_same_model(subject.entry.model_id, returned):
        raise _another_model(subject, returned)
    return Canary(call_key=call_key, returned=returned, usage=usage, latency_ms=latency_ms)


def _another_model(subject: Subject, returned: str) -> PreflightError:
    return PreflightError(
        f"model {subject.entry.key}: {subject.entry.model_id!r} was asked for, and {returned!r} answered",
        code="PREFLIGHT-MODEL-002",
        hint="set model_id in its entry to the one you mean, and create a new batch; the id itself would pass, and so "
        "would the id with a date or a version behind it",
    )


def _not_admitted(subject: Subject, error: AdmissionDeniedError) -> GlassbenchError:
    return GlassbenchError(
        f"the canary of model {subject.entry.key} was not sent: {error.message}",
        code=error.code,
        hint="see `glassbench ledger show`; limits are frozen with a batch, so create it anew with others",
    )
