"""The tables of execution: policy, ledger, leases, workers, credentials, audit. Same metadata as `tables.py`.

Triggers (what is written once, never deleted, or moves one way only) stand in the migration alone.
"""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import get_args

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    DateTime,
    ForeignKey,
    ForeignKeyConstraint,
    Identity,
    Index,
    Integer,
    LargeBinary,
    Numeric,
    Sequence,
    Table,
    Text,
    func,
    text,
)

from dataset.store.attempt import AttemptRole, AttemptState, ScopeKind
from dataset.store.tables import metadata as metadata

SCOPE_KINDS: tuple[ScopeKind, ...] = get_args(ScopeKind)
"""In locking order."""
SLICE_STATES = ("open", "leased", "done", "dead")
WISHES = ("rest", "run", "pause", "cancel")
RETENTIONS = ("operational", "security")

fencing_token = Sequence("fencing_token", metadata=metadata)
"""Monotone over the whole database: a later lease of anything has a greater token."""


def _one_of(column: str, values: tuple[str, ...]) -> CheckConstraint:
    return CheckConstraint(f"{column} IN ({', '.join(repr(value) for value in values)})", name=f"{column}_is_known")


def _moment(name: str, *, null: bool = False) -> Column[datetime]:
    """A time by the database's clock; filled in where it must be there."""
    return Column(name, DateTime(timezone=True), nullable=null, server_default=None if null else func.clock_timestamp())


def _money(name: str, *, null: bool = True) -> Column[Decimal]:
    return Column(name, Numeric(24, 10), nullable=null, server_default=None if null else text("0"))


def _count(name: str, *, null: bool = False) -> Column[int]:
    return Column(name, BigInteger, nullable=null, server_default=None if null else text("0"))


policy = Table(
    "policy",
    metadata,
    Column("hash", Text, primary_key=True),
    CheckConstraint("hash ~ '^[0-9a-f]{64}$'", name="hash_is_sha256"),
    Column("content", LargeBinary, nullable=False),
    _moment("created_at"),
)
policy_activation = Table(
    "policy_activation",
    metadata,
    Column("number", BigInteger, Identity(always=True), primary_key=True),
    Column("policy_hash", Text, ForeignKey("policy.hash"), nullable=False),
    _moment("activated_at"),
)
"""The newest one is the active policy."""

batch_control = Table(
    "batch_control",
    metadata,
    Column("batch_id", Text, ForeignKey("batch.id"), primary_key=True),
    Column("wish", Text, nullable=False, server_default="rest"),
    Column("reason", Text),
    Column("detail", Text),
    _moment("changed_at"),
    _moment("served_at", null=True),
    _one_of("wish", WISHES),
)
"""What the owner, or a rule, wants of a batch now; `reason` is the stable code of a rule that paused or ended it."""

slice_ = Table(
    "slice",
    metadata,
    Column("batch_id", Text, ForeignKey("batch.id"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("first_position", Integer, nullable=False),
    Column("last_position", Integer, nullable=False),
    Column("state", Text, nullable=False, server_default="open"),
    Column("lease_owner", Text),
    Column("lease_token", BigInteger),
    _moment("lease_expires_at", null=True),
    _moment("heartbeat_at", null=True),
    Column("failures", Integer, nullable=False, server_default=text("0")),
    _moment("not_before", null=True),
    Column("last_error", Text),
    _one_of("state", SLICE_STATES),
    CheckConstraint(
        "(state = 'leased') = (lease_owner IS NOT NULL AND lease_token IS NOT NULL AND lease_expires_at IS NOT NULL)",
        name="leased_has_a_lease",
    ),
    Index("ix_slice_state", "state", "batch_id", "number"),
)
"""The quantum that a worker takes on lease: a range of positions of one batch."""

worker = Table(
    "worker",
    metadata,
    Column("generation", Text, primary_key=True),
    Column("name", Text, nullable=False),
    _moment("started_at"),
    _moment("progress_at"),
    _moment("stopped_at", null=True),
    _count("runs_recorded"),
    _count("slices_served"),
)

ledger_scope = Table(
    "ledger_scope",
    metadata,
    Column("kind", Text, primary_key=True),
    Column("key", Text, primary_key=True),
    _count("active"),
    _count("requests"),
    _count("tokens"),
    _count("reserved_tokens"),
    _money("charge", null=False),
    _money("reserved_charge", null=False),
    Column("overdrawn", Boolean, nullable=False, server_default=text("false")),
    _one_of("kind", SCOPE_KINDS),
)
"""Totals kept for speed; `provider_attempt` is what they must equal. The key of the global scope is empty.

`requests`, `tokens` and `charge` count what is settled and what is reserved; `active`, `reserved_tokens` and
`reserved_charge` the part that is only reserved.
"""

ledger_minute = Table(
    "ledger_minute",
    metadata,
    Column("kind", Text, primary_key=True),
    Column("key", Text, primary_key=True),
    Column("minute", DateTime(timezone=True), primary_key=True),
    _count("requests"),
    _count("tokens"),
    ForeignKeyConstraint(["kind", "key"], ["ledger_scope.kind", "ledger_scope.key"]),
)

provider_attempt = Table(
    "provider_attempt",
    metadata,
    Column("call_key", Text, primary_key=True),
    Column("ordinal", Integer, primary_key=True, autoincrement=False),
    Column("batch_id", Text, ForeignKey("batch.id"), nullable=False),
    Column("run_id", Text, ForeignKey("run.run_id")),
    Column("run_attempt", Integer),
    Column("step", Integer),
    Column("provider", Text, nullable=False),
    Column("model_key", Text, nullable=False),
    Column("role", Text, nullable=False, server_default="candidate"),
    Column("lease_token", BigInteger),
    Column("policy_hash", Text, ForeignKey("policy.hash"), nullable=False),
    Column("request_digest", Text, nullable=False),
    Column("state", Text, nullable=False, server_default="reserved"),
    Column("minute", DateTime(timezone=True), nullable=False),
    Column("reserved_input", BigInteger),
    Column("reserved_output", BigInteger),
    Column("actual_input", BigInteger),
    Column("actual_output", BigInteger),
    Column("currency", Text),
    _money("reserved_cost"),
    _money("actual_cost"),
    _money("reserved_charge"),
    _money("actual_charge"),
    Column("status", Integer),
    Column("code", Text),
    _moment("reserved_at"),
    _moment("sent_at", null=True),
    _moment("ended_at", null=True),
    _one_of("state", get_args(AttemptState)),
    _one_of("role", get_args(AttemptRole)),
    CheckConstraint("request_digest ~ '^[0-9a-f]{64}$'", name="request_digest_is_sha256"),
    CheckConstraint("(ended_at IS NULL) = (state IN ('reserved', 'send_started'))", name="ended_has_a_time"),
    CheckConstraint("(sent_at IS NULL) = (state IN ('reserved', 'released_pre_send'))", name="sent_has_a_time"),
    CheckConstraint(
        "(state = 'settled_actual') = (actual_input IS NOT NULL) AND (actual_input IS NULL) = (actual_output IS NULL)",
        name="known_use_is_whole",
    ),
    Index("ix_provider_attempt_open", "lease_token", postgresql_where=text("ended_at IS NULL")),
    Index("ix_provider_attempt_batch", "batch_id", "run_id"),
)
"""Every HTTP try, never deleted. Costs are in the price's currency, charges in the policy's.

`ended_at` says which are open, because the mark before the first byte leaves it alone: that update touches no index.
"""

credential = Table(
    "credential",
    metadata,
    Column("model_key", Text, primary_key=True),
    Column("origin", Text, nullable=False),
    Column("algorithm", Text, nullable=False),
    Column("key_id", Text, nullable=False),
    Column("nonce", LargeBinary, nullable=False),
    Column("ciphertext", LargeBinary, nullable=False),
    _moment("created_at"),
    _moment("changed_at"),
)

audit_event = Table(
    "audit_event",
    metadata,
    Column("number", BigInteger, Identity(always=True), primary_key=True),
    Column("event_key", Text, nullable=False, unique=True),
    Column("kind", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("payload", LargeBinary, nullable=False),
    Column("payload_hash", Text, nullable=False),
    Column("retention", Text, nullable=False),
    _moment("occurred_at"),
    Column("expires_at", DateTime(timezone=True), nullable=False),
    _one_of("retention", RETENTIONS),
    CheckConstraint("payload_hash ~ '^[0-9a-f]{64}$'", name="payload_hash_is_sha256"),
    Index("ix_audit_event_expires", "expires_at"),
    Index("ix_audit_event_subject", "subject"),
)
audit_archive = Table(
    "audit_archive",
    metadata,
    Column("sha256", Text, primary_key=True),
    Column("first_number", BigInteger, nullable=False),
    Column("last_number", BigInteger, nullable=False),
    Column("events", Integer, nullable=False),
    _moment("created_at"),
)
"""A file that holds the events of a range of numbers. Only what one of them holds may be deleted, once expired."""
