"""Execution: policy, ledger, leases, workers, credentials, audit; terms of a batch, revisions of a run.

Revision ID: 0002
Revises: 0001
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

WRITTEN_ONCE = ("policy", "policy_activation", "audit_archive")
FACTS = {
    **dict.fromkeys(("provider_attempt", "audit_event", "audit_archive", "credential", "policy"), "true"),
    "run": "revision > 1",
    "batch": "terms IS NOT NULL",
}
"""What the older schema has no place for: rows that a downgrade would lose."""


def upgrade() -> None:
    op.execute("CREATE SEQUENCE fencing_token")
    _create_tables()
    op.execute("INSERT INTO batch_control (batch_id) SELECT id FROM batch")
    for table in WRITTEN_ONCE:
        op.execute(
            f"CREATE TRIGGER {table}_is_written_once BEFORE UPDATE OR DELETE ON {table}"
            " FOR EACH ROW EXECUTE FUNCTION refuse_change()"
        )
    for table in (*WRITTEN_ONCE, "provider_attempt", "audit_event"):
        op.execute(
            f"CREATE TRIGGER {table}_is_never_emptied BEFORE TRUNCATE ON {table}"
            " FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()"
        )
    _guard_the_ledger()
    _guard_the_audit()


def _guard_the_ledger() -> None:
    """A try moves one way, keeps what it is, and is never deleted."""
    op.execute(
        "CREATE TRIGGER provider_attempt_is_never_deleted BEFORE DELETE ON provider_attempt"
        " FOR EACH ROW EXECUTE FUNCTION refuse_change()"
    )
    op.execute(
        """
        CREATE FUNCTION move_attempt_one_way() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF NOT ((OLD.state = 'reserved' AND NEW.state IN ('send_started', 'released_pre_send'))
                 OR (OLD.state = 'send_started' AND NEW.state IN ('settled_actual', 'settled_conservative')))
               OR (OLD.call_key, OLD.ordinal, OLD.batch_id, OLD.run_id, OLD.run_attempt, OLD.step, OLD.provider,
                   OLD.model_key, OLD.role, OLD.lease_token, OLD.policy_hash, OLD.request_digest, OLD.minute,
                   OLD.currency, OLD.reserved_at)
                  IS DISTINCT FROM
                  (NEW.call_key, NEW.ordinal, NEW.batch_id, NEW.run_id, NEW.run_attempt, NEW.step, NEW.provider,
                   NEW.model_key, NEW.role, NEW.lease_token, NEW.policy_hash, NEW.request_digest, NEW.minute,
                   NEW.currency, NEW.reserved_at)
               OR (OLD.state = 'send_started' AND OLD.sent_at IS DISTINCT FROM NEW.sent_at)
               OR (OLD.reserved_input, OLD.reserved_output, OLD.reserved_cost, OLD.reserved_charge)
                  IS DISTINCT FROM (NEW.reserved_input, NEW.reserved_output, NEW.reserved_cost, NEW.reserved_charge)
            THEN
                RAISE EXCEPTION 'an attempt moves one way'
                    USING ERRCODE = 'integrity_constraint_violation',
                          CONSTRAINT = 'provider_attempt_moves_one_way', TABLE = TG_TABLE_NAME;
            END IF;
            RETURN NEW;
        END
        $$
        """
    )
    op.execute(
        "CREATE TRIGGER provider_attempt_moves_one_way BEFORE UPDATE ON provider_attempt"
        " FOR EACH ROW EXECUTE FUNCTION move_attempt_one_way()"
    )


def _guard_the_audit() -> None:
    """An event is written once, and goes only when it has expired and an archive holds it."""
    op.execute(
        "CREATE TRIGGER audit_event_is_written_once BEFORE UPDATE ON audit_event"
        " FOR EACH ROW EXECUTE FUNCTION refuse_change()"
    )
    op.execute(
        """
        CREATE FUNCTION keep_unarchived() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF OLD.expires_at > clock_timestamp() OR NOT EXISTS (
                SELECT FROM audit_archive a WHERE OLD.number BETWEEN a.first_number AND a.last_number)
            THEN
                RAISE EXCEPTION 'an audit event is archived and expired before it is deleted'
                    USING ERRCODE = 'integrity_constraint_violation',
                          CONSTRAINT = 'audit_event_is_kept', TABLE = TG_TABLE_NAME;
            END IF;
            RETURN OLD;
        END
        $$
        """
    )
    op.execute(
        "CREATE TRIGGER audit_event_is_kept BEFORE DELETE ON audit_event"
        " FOR EACH ROW EXECUTE FUNCTION keep_unarchived()"
    )


def _create_tables() -> None:
    op.create_table(
        "audit_archive",
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("first_number", sa.BigInteger(), nullable=False),
        sa.Column("last_number", sa.BigInteger(), nullable=False),
        sa.Column("events", sa.Integer(), nullable=False),
        sa.Column(
            "created_at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False
        ),
        sa.PrimaryKeyConstraint("sha256", name=op.f("pk_audit_archive")),
    )
    op.create_table(
        "audit_event",
        sa.Column("number", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("event_key", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("payload", sa.LargeBinary(), nullable=False),
        sa.Column("payload_hash", sa.Text(), nullable=False),
        sa.Column("retention", sa.Text(), nullable=False),
        sa.Column(
            "occurred_at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False
        ),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("payload_hash ~ '^[0-9a-f]{64}$'", name=op.f("ck_audit_event_payload_hash_is_sha256")),
        sa.CheckConstraint("retention IN ('operational', 'security')", name=op.f("ck_audit_event_retention_is_known")),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_audit_event")),
        sa.UniqueConstraint("event_key", name=op.f("uq_audit_event_event_key")),
    )
    op.create_index("ix_audit_event_expires", "audit_event", ["expires_at"], unique=False)
    op.create_index("ix_audit_event_subject", "audit_event", ["subject"], unique=False)
    op.create_table(
        "credential",
        sa.Column("model_key", sa.Text(), nullable=False),
        sa.Column("origin", sa.Text(), nullable=False),
        sa.Column("algorithm", sa.Text(), nullable=False),
        sa.Column("key_id", sa.Text(), nullable=False),
        sa.Column("nonce", sa.LargeBinary(), nullable=False),
        sa.Column("ciphertext", sa.LargeBinary(), nullable=False),
        sa.Column(
            "created_at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False
        ),
        sa.Column(
            "changed_at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False
        ),
        sa.PrimaryKeyConstraint("model_key", name=op.f("pk_credential")),
    )
    op.create_table(
        "ledger_scope",
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("active", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("requests", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("tokens", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("reserved_tokens", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("charge", sa.Numeric(precision=24, scale=10), server_default=sa.text("0"), nullable=False),
        sa.Column("reserved_charge", sa.Numeric(precision=24, scale=10), server_default=sa.text("0"), nullable=False),
        sa.Column("overdrawn", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.CheckConstraint(
            "kind IN ('global', 'provider', 'model', 'batch')", name=op.f("ck_ledger_scope_kind_is_known")
        ),
        sa.PrimaryKeyConstraint("kind", "key", name=op.f("pk_ledger_scope")),
    )
    op.create_table(
        "policy",
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.Column(
            "created_at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False
        ),
        sa.CheckConstraint("hash ~ '^[0-9a-f]{64}$'", name=op.f("ck_policy_hash_is_sha256")),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_policy")),
    )
    op.create_table(
        "worker",
        sa.Column("generation", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column(
            "started_at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False
        ),
        sa.Column(
            "progress_at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False
        ),
        sa.Column("stopped_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("runs_recorded", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("slices_served", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.PrimaryKeyConstraint("generation", name=op.f("pk_worker")),
    )
    op.create_table(
        "ledger_minute",
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("minute", sa.DateTime(timezone=True), nullable=False),
        sa.Column("requests", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("tokens", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.ForeignKeyConstraint(
            ["kind", "key"], ["ledger_scope.kind", "ledger_scope.key"], name=op.f("fk_ledger_minute_ledger_scope")
        ),
        sa.PrimaryKeyConstraint("kind", "key", "minute", name=op.f("pk_ledger_minute")),
    )
    op.create_table(
        "policy_activation",
        sa.Column("number", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("policy_hash", sa.Text(), nullable=False),
        sa.Column(
            "activated_at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False
        ),
        sa.ForeignKeyConstraint(["policy_hash"], ["policy.hash"], name=op.f("fk_policy_activation_policy")),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_policy_activation")),
    )
    op.create_table(
        "batch_control",
        sa.Column("batch_id", sa.Text(), nullable=False),
        sa.Column("wish", sa.Text(), server_default="rest", nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("detail", sa.Text(), nullable=True),
        sa.Column(
            "changed_at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False
        ),
        sa.Column("served_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("wish IN ('rest', 'run', 'pause', 'cancel')", name=op.f("ck_batch_control_wish_is_known")),
        sa.ForeignKeyConstraint(["batch_id"], ["batch.id"], name=op.f("fk_batch_control_batch")),
        sa.PrimaryKeyConstraint("batch_id", name=op.f("pk_batch_control")),
    )
    op.create_table(
        "slice",
        sa.Column("batch_id", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("first_position", sa.Integer(), nullable=False),
        sa.Column("last_position", sa.Integer(), nullable=False),
        sa.Column("state", sa.Text(), server_default="open", nullable=False),
        sa.Column("lease_owner", sa.Text(), nullable=True),
        sa.Column("lease_token", sa.BigInteger(), nullable=True),
        sa.Column("lease_expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("heartbeat_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("failures", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("not_before", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_error", sa.Text(), nullable=True),
        sa.CheckConstraint(
            "(state = 'leased') = (lease_owner IS NOT NULL AND lease_token IS NOT NULL AND lease_expires_at IS NOT NULL)",
            name=op.f("ck_slice_leased_has_a_lease"),
        ),
        sa.CheckConstraint("state IN ('open', 'leased', 'done', 'dead')", name=op.f("ck_slice_state_is_known")),
        sa.ForeignKeyConstraint(["batch_id"], ["batch.id"], name=op.f("fk_slice_batch")),
        sa.PrimaryKeyConstraint("batch_id", "number", name=op.f("pk_slice")),
    )
    op.create_index("ix_slice_state", "slice", ["state", "batch_id", "number"], unique=False)
    op.create_table(
        "provider_attempt",
        sa.Column("call_key", sa.Text(), nullable=False),
        sa.Column("ordinal", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("batch_id", sa.Text(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=True),
        sa.Column("run_attempt", sa.Integer(), nullable=True),
        sa.Column("step", sa.Integer(), nullable=True),
        sa.Column("provider", sa.Text(), nullable=False),
        sa.Column("model_key", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), server_default="candidate", nullable=False),
        sa.Column("lease_token", sa.BigInteger(), nullable=True),
        sa.Column("policy_hash", sa.Text(), nullable=False),
        sa.Column("request_digest", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), server_default="reserved", nullable=False),
        sa.Column("minute", sa.DateTime(timezone=True), nullable=False),
        sa.Column("reserved_input", sa.BigInteger(), nullable=True),
        sa.Column("reserved_output", sa.BigInteger(), nullable=True),
        sa.Column("actual_input", sa.BigInteger(), nullable=True),
        sa.Column("actual_output", sa.BigInteger(), nullable=True),
        sa.Column("currency", sa.Text(), nullable=True),
        sa.Column("reserved_cost", sa.Numeric(precision=24, scale=10), nullable=True),
        sa.Column("actual_cost", sa.Numeric(precision=24, scale=10), nullable=True),
        sa.Column("reserved_charge", sa.Numeric(precision=24, scale=10), nullable=True),
        sa.Column("actual_charge", sa.Numeric(precision=24, scale=10), nullable=True),
        sa.Column("status", sa.Integer(), nullable=True),
        sa.Column("code", sa.Text(), nullable=True),
        sa.Column(
            "reserved_at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False
        ),
        sa.Column("sent_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "request_digest ~ '^[0-9a-f]{64}$'", name=op.f("ck_provider_attempt_request_digest_is_sha256")
        ),
        sa.CheckConstraint("role IN ('candidate', 'judge', 'canary')", name=op.f("ck_provider_attempt_role_is_known")),
        sa.CheckConstraint(
            "state IN ('reserved', 'send_started', 'settled_actual', 'settled_conservative', 'released_pre_send')",
            name=op.f("ck_provider_attempt_state_is_known"),
        ),
        sa.CheckConstraint(
            "(ended_at IS NULL) = (state IN ('reserved', 'send_started'))",
            name=op.f("ck_provider_attempt_ended_has_a_time"),
        ),
        sa.CheckConstraint(
            "(sent_at IS NULL) = (state IN ('reserved', 'released_pre_send'))",
            name=op.f("ck_provider_attempt_sent_has_a_time"),
        ),
        sa.CheckConstraint(
            "(state = 'settled_actual') = (actual_input IS NOT NULL)"
            " AND (actual_input IS NULL) = (actual_output IS NULL)",
            name=op.f("ck_provider_attempt_known_use_is_whole"),
        ),
        sa.ForeignKeyConstraint(["batch_id"], ["batch.id"], name=op.f("fk_provider_attempt_batch")),
        sa.ForeignKeyConstraint(["policy_hash"], ["policy.hash"], name=op.f("fk_provider_attempt_policy")),
        sa.ForeignKeyConstraint(["run_id"], ["run.run_id"], name=op.f("fk_provider_attempt_run")),
        sa.PrimaryKeyConstraint("call_key", "ordinal", name=op.f("pk_provider_attempt")),
    )
    op.create_index("ix_provider_attempt_batch", "provider_attempt", ["batch_id", "run_id"], unique=False)
    op.create_index(
        "ix_provider_attempt_open",
        "provider_attempt",
        ["lease_token"],
        unique=False,
        postgresql_where=sa.text("ended_at IS NULL"),
    )
    # Room on each page for the two later versions of its rows: the mark then writes no index at all.
    op.execute("ALTER TABLE provider_attempt SET (fillfactor = 60)")
    op.add_column("batch", sa.Column("terms", sa.LargeBinary(), nullable=True))
    op.add_column("batch", sa.Column("terms_hash", sa.Text(), nullable=True))
    op.add_column("run", sa.Column("revision", sa.Integer(), server_default="1", nullable=False))
    op.add_column("run", sa.Column("supersedes", sa.Text(), nullable=True))
    op.drop_constraint(op.f("uq_run_batch_id_case_id_variant_id_repeat_model_key"), "run", type_="unique")
    op.drop_constraint(op.f("uq_run_batch_id_position"), "run", type_="unique")
    op.create_unique_constraint(
        op.f("uq_run_batch_id_case_id_variant_id_repeat_model_key_revision"),
        "run",
        ["batch_id", "case_id", "variant_id", "repeat", "model_key", "revision"],
    )
    op.create_unique_constraint(op.f("uq_run_batch_id_position_revision"), "run", ["batch_id", "position", "revision"])
    op.create_foreign_key(op.f("fk_run_run"), "run", "run", ["supersedes"], ["run_id"])
    op.create_check_constraint(
        op.f("ck_batch_terms_hash_is_sha256"),
        "batch",
        "(terms IS NULL) = (terms_hash IS NULL) AND terms_hash ~ '^[0-9a-f]{64}$'",
    )
    op.create_check_constraint(
        op.f("ck_run_a_later_revision_supersedes"), "run", "(revision = 1) = (supersedes IS NULL)"
    )


def downgrade() -> None:
    _refuse_to_lose()
    op.drop_constraint(op.f("ck_batch_terms_hash_is_sha256"), "batch", type_="check")
    op.drop_constraint(op.f("ck_run_a_later_revision_supersedes"), "run", type_="check")
    op.drop_constraint(op.f("fk_run_run"), "run", type_="foreignkey")
    for constraint in (
        "uq_run_batch_id_position_revision",
        "uq_run_batch_id_case_id_variant_id_repeat_model_key_revision",
    ):
        op.drop_constraint(op.f(constraint), "run", type_="unique")
    for table in (
        "provider_attempt",
        "ledger_minute",
        "ledger_scope",
        "slice",
        "batch_control",
        "policy_activation",
        "policy",
        "worker",
        "credential",
        "audit_event",
        "audit_archive",
    ):
        op.drop_table(table)
    op.create_unique_constraint(op.f("uq_run_batch_id_position"), "run", ["batch_id", "position"])
    op.create_unique_constraint(
        op.f("uq_run_batch_id_case_id_variant_id_repeat_model_key"),
        "run",
        ["batch_id", "case_id", "variant_id", "repeat", "model_key"],
    )
    op.drop_column("run", "supersedes")
    op.drop_column("run", "revision")
    op.drop_column("batch", "terms_hash")
    op.drop_column("batch", "terms")
    op.execute("DROP FUNCTION move_attempt_one_way()")
    op.execute("DROP FUNCTION keep_unarchived()")
    op.execute("DROP SEQUENCE fencing_token")


def _refuse_to_lose() -> None:
    """Facts that the older schema can't hold stop the downgrade before anything is changed."""
    for table, condition in FACTS.items():
        op.execute(
            f"""
            DO $$ BEGIN
                IF EXISTS (SELECT FROM {table} WHERE {condition}) THEN
                    RAISE EXCEPTION '{table} holds facts that the older schema would lose'
                        USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = '{table}_would_be_lost';
                END IF;
            END $$
            """
        )
