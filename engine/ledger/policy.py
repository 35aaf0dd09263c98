"""A policy: the limits of every scope. Immutable; its hash is its id."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field

from dataset.artifacts.price import Currency, RateText
from dataset.canonical import canonical_bytes
from dataset.measures.cost import amount_text
from dataset.record import Record
from dataset.store.attempt import LimitName, Scope

ANY = "*"
"""The name of the limits that hold for everyone of a kind who has none of their own."""
LIFETIME_LIMITS: tuple[LimitName, ...] = ("requests", "tokens", "cost")
"""What is used up for good; the other limits are free again after a while."""
DEFAULT_BACKLOG = 100
DEFAULT_QUANTUM = 64
DEFAULT_SLICE_ATTEMPTS = 3
HIGHEST_COST = Decimal(10) ** 13
"""What a sum in the ledger can hold with room to spare."""


def _whole_as_text(value: Any) -> Any:
    return str(value) if type(value) is int else value


def _one_spelling(value: str) -> str:
    amount = Decimal(value)
    if amount > HIGHEST_COST:
        raise ValueError(f"must be at most {HIGHEST_COST}")
    if -int(amount.as_tuple().exponent) > 10:
        raise ValueError("must have at most ten decimals")
    return amount_text(amount)


Whole = Annotated[int, Field(strict=True, ge=0, le=2**53 - 1)]
Amount = Annotated[RateText, BeforeValidator(_whole_as_text), AfterValidator(_one_spelling)]
"""Money that may be used, from 0: decimal text, or a whole number."""
OwnerName = Annotated[str, Field(pattern=r"^(\*|[a-z0-9][a-z0-9.-]{0,63})$")]


class ScopeLimits(Record):
    """What one scope may use; None is no limit, 0 admits nothing. Cost is in the policy's currency."""

    concurrency: Whole | None = None
    requests_per_minute: Whole | None = None
    tokens_per_minute: Whole | None = None
    requests: Whole | None = None
    tokens: Whole | None = None
    cost: Amount | None = None

    def given(self) -> list[tuple[LimitName, int | Decimal]]:
        """The limits that are set."""
        whole: tuple[tuple[LimitName, int | None], ...] = (
            ("concurrency", self.concurrency),
            ("requests_per_minute", self.requests_per_minute),
            ("tokens_per_minute", self.tokens_per_minute),
            ("requests", self.requests),
            ("tokens", self.tokens),
        )
        found: list[tuple[LimitName, int | Decimal]] = [(name, most) for name, most in whole if most is not None]
        if self.cost is not None:
            found.append(("cost", Decimal(self.cost)))
        return found


UNLIMITED = ScopeLimits()


class Policy(Record):
    """The limits of every scope, how many batches may be unfinished at once, and how slices of a batch are handed out.

    A provider's or a model's own limits replace those under `*` as a whole. `quantum` is the runs of a slice;
    `slice_attempts` how often a slice is tried before it is given up.
    """

    model_config = ConfigDict(serialize_by_alias=True, validate_by_name=True, validate_by_alias=True)

    currency: Currency = "USD"
    backlog: Whole = DEFAULT_BACKLOG
    quantum: Annotated[int, Field(strict=True, ge=1, le=10_000)] = DEFAULT_QUANTUM
    slice_attempts: Annotated[int, Field(strict=True, ge=1, le=100)] = DEFAULT_SLICE_ATTEMPTS
    everything: Annotated[ScopeLimits, Field(alias="global")] = UNLIMITED
    provider: dict[OwnerName, ScopeLimits] = {}
    model: dict[OwnerName, ScopeLimits] = {}
    batch: dict[Annotated[str, Field(pattern=r"^\*$")], ScopeLimits] = {}

    def limits_of(self, scope: Scope) -> ScopeLimits:
        """The limits of a scope."""
        if scope.kind == "global":
            return self.everything
        named: dict[str, ScopeLimits] = getattr(self, scope.kind)
        return named.get(scope.key) or named.get(ANY) or UNLIMITED

    def content(self) -> bytes:
        """The canonical bytes that are stored and hashed."""
        return canonical_bytes(self.body())

    @classmethod
    def of_content(cls, content: bytes) -> Policy:
        """The policy that stored bytes hold."""
        return cls.model_validate_json(content)


DEFAULT_POLICY = Policy()
"""What holds where nobody has applied a policy: no limits, but a backlog that can't grow for ever."""
