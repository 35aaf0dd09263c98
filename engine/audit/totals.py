"""What exported events and attempts come to, added up line by line."""

from __future__ import annotations

from collections import Counter, defaultdict
from decimal import Decimal

from dataset.store.attempt import AttemptState, Scope, scopes_of
from dataset.store.ledger_totals import Counted, Figures, count
from engine.audit.lines import AttemptLine, EventFacts, ScopeTotals


class EventTally:
    """Numbers of the first and last event, and how many there are of each kind."""

    def __init__(self) -> None:
        self._first: int | None = None
        self._last: int | None = None
        self._kinds: Counter[str] = Counter()

    def add(self, number: int, kind: str) -> None:
        """Counts the next event."""
        self._first, self._last = self._first or number, number
        self._kinds[kind] += 1

    def facts(self) -> EventFacts:
        """What a manifest says of them."""
        return EventFacts(first_number=self._first, last_number=self._last, by_kind=dict(self._kinds))


class AttemptTotals:
    """Sums per scope; they grow with the number of scopes, not of attempts."""

    def __init__(self) -> None:
        self._sums: dict[Scope, _Sum] = defaultdict(_Sum)

    def add(self, attempt: AttemptLine) -> None:
        """Counts an attempt in its four scopes."""
        counted = count(
            Figures(
                attempt.state,
                attempt.reserved_input,
                attempt.reserved_output,
                _amount(attempt.reserved_charge),
                attempt.actual_input,
                attempt.actual_output,
                _amount(attempt.actual_charge),
            )
        )
        for scope in scopes_of(attempt.provider, attempt.model_key, attempt.batch_id):
            self._sums[scope].add(attempt.state, counted)

    def by_scope(self) -> tuple[ScopeTotals, ...]:
        """The sums, by kind and key."""
        return tuple(total.of(scope) for scope, total in sorted(self._sums.items(), key=lambda item: item[0]))


class _Sum:
    def __init__(self) -> None:
        self.states: Counter[AttemptState] = Counter()
        self.active = self.requests = self.tokens = self.reserved_tokens = 0
        self.charge = self.reserved_charge = Decimal(0)

    def add(self, state: AttemptState, counted: Counted) -> None:
        self.states[state] += 1
        self.active += counted.active
        self.requests += counted.requests
        self.tokens += counted.tokens
        self.reserved_tokens += counted.reserved_tokens
        self.charge += counted.charge
        self.reserved_charge += counted.reserved_charge

    def of(self, scope: Scope) -> ScopeTotals:
        return ScopeTotals(
            kind=scope.kind,
            key=scope.key,
            attempts=dict(self.states),
            active=self.active,
            requests=self.requests,
            tokens=self.tokens,
            reserved_tokens=self.reserved_tokens,
            charge=_text(self.charge),
            reserved_charge=_text(self.reserved_charge),
        )


def _amount(text: str | None) -> Decimal | None:
    return None if text is None else Decimal(text)


def _text(amount: Decimal) -> str:
    return format(amount.normalize() + 0, "f")
