"""The rule of settlement: what an attempt becomes by what is known of its end. Values in, a value or a fault out."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from dataset.store.attempt import (
    AttemptState,
    Scope,
    Settlement,
    SettlementCode,
    SettlementFault,
    ledger_amount,
    scopes_of,
)
from dataset.store.ledger_totals import Counted, Figures, count


@dataclass(frozen=True, kw_only=True, slots=True)
class Ending:
    """What is written into an attempt when it ends, or stands there already."""

    state: AttemptState
    actual_input: int | None
    actual_output: int | None
    actual_cost: Decimal | None
    actual_charge: Decimal | None
    status: int | None
    code: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class StandingAttempt:
    """An attempt as it stands: where it is counted, what it reserved, and its ending so far."""

    provider: str
    model_key: str
    batch_id: str
    minute: datetime
    reserved_input: int | None
    reserved_output: int | None
    reserved_charge: Decimal | None
    ending: Ending

    @property
    def scopes(self) -> tuple[Scope, ...]:
        """The scopes it is counted in."""
        return scopes_of(self.provider, self.model_key, self.batch_id)

    def counted(self, ending: Ending | None = None) -> Counted:
        """What it counts, as it stands or with an ending."""
        end = ending or self.ending
        return count(
            Figures(
                end.state,
                self.reserved_input,
                self.reserved_output,
                self.reserved_charge,
                end.actual_input,
                end.actual_output,
                end.actual_charge,
            )
        )


def judge_settlement(
    settlement: Settlement, standing: StandingAttempt | None, ended: Ending | None
) -> Ending | SettlementFault | None:
    """The ending that a settlement gives an attempt, None where it has exactly that one already, or what is wrong.

    `ended` is an ending that the attempt was given a moment ago and that isn't in `standing` yet.
    """
    if standing is None:
        return _fault(settlement, "LEDGER-KEY-002", "no attempt with this key is in the ledger")
    present = ended or standing.ending
    match present.state:
        case "reserved" if settlement.is_known and (settlement.input_tokens or settlement.output_tokens):
            return _fault(settlement, "LEDGER-UNSENT-001", "the attempt used tokens and was never marked as sent")
        case "reserved":
            return _released(settlement)
        case "send_started":
            return _settled(settlement)
        case state:
            same = _released(settlement) if state == "released_pre_send" else _settled(settlement)
            if same == present:
                return None
            return _fault(settlement, "LEDGER-SETTLED-001", f"the attempt has ended before, differently ({state})")


def _released(settlement: Settlement) -> Ending:
    return Ending(
        state="released_pre_send",
        actual_input=None,
        actual_output=None,
        actual_cost=None,
        actual_charge=None,
        status=None,
        code=settlement.code,
    )


def _settled(settlement: Settlement) -> Ending:
    known = settlement.is_known
    return Ending(
        state="settled_actual" if known else "settled_conservative",
        actual_input=settlement.input_tokens if known else None,
        actual_output=settlement.output_tokens if known else None,
        actual_cost=ledger_amount(settlement.cost) if known else None,
        actual_charge=ledger_amount(settlement.charge) if known else None,
        status=settlement.status,
        code=settlement.code,
    )


def _fault(settlement: Settlement, code: SettlementCode, message: str) -> SettlementFault:
    return SettlementFault(
        key=settlement.key, code=code, message=f"{settlement.call_key} #{settlement.ordinal}: {message}"
    )
