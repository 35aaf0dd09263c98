"""The first schema: the bank, the catalogue, batches and their runs, artifacts, releases.

Revision ID: 0001
Revises:
"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

NEVER_UPDATED = (
    "question",
    "gold",
    "variant",
    "tool",
    "tool_version",
    "tool_parameter",
    "permission",
    "scene",
    "scene_tool",
    "fixture_set",
    "fixture",
    "document",
    "pack",
    "event",
)


def upgrade() -> None:
    _create_tables()
    # Canonical bytes are stored as they are: compressing them costs five times the time of writing them.
    op.execute("ALTER TABLE artifact ALTER COLUMN bytes SET STORAGE EXTERNAL")
    op.execute("ALTER TABLE event ALTER COLUMN body SET STORAGE EXTERNAL")
    op.execute(
        """
        CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            RAISE EXCEPTION 'a row of % is written once', TG_TABLE_NAME
                USING ERRCODE = 'integrity_constraint_violation',
                      CONSTRAINT = TG_TABLE_NAME || '_is_written_once', TABLE = TG_TABLE_NAME;
        END
        $$
        """
    )
    for table in NEVER_UPDATED:
        op.execute(
            f"CREATE TRIGGER {table}_is_written_once BEFORE UPDATE ON {table} FOR EACH ROW EXECUTE FUNCTION refuse_change()"
        )
    op.execute(
        "CREATE TRIGGER artifact_is_written_once BEFORE UPDATE OR DELETE ON artifact"
        " FOR EACH ROW EXECUTE FUNCTION refuse_change()"
    )
    op.execute(
        "CREATE TRIGGER artifact_is_never_emptied BEFORE TRUNCATE ON artifact"
        " FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()"
    )


def _create_tables() -> None:
    op.create_table(
        "document",
        sa.Column("pack_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.CheckConstraint("hash ~ '^[0-9a-f]{64}$'", name=op.f("ck_document_hash_is_sha256")),
        sa.CheckConstraint(
            "kind IN ('pack', 'prompt', 'guardrails', 'template', 'transcript')", name=op.f("ck_document_kind")
        ),
        sa.PrimaryKeyConstraint("pack_id", "kind", "id", "version", name=op.f("pk_document")),
    )
    op.create_table(
        "fixture_set",
        sa.Column("pack_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.CheckConstraint("hash ~ '^[0-9a-f]{64}$'", name=op.f("ck_fixture_set_hash_is_sha256")),
        sa.PrimaryKeyConstraint("pack_id", "id", "version", name=op.f("pk_fixture_set")),
    )
    op.create_table(
        "pack",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("manifest", sa.LargeBinary(), nullable=False),
        sa.Column(
            "imported_at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False
        ),
        sa.CheckConstraint("hash ~ '^[0-9a-f]{64}$'", name=op.f("ck_pack_hash_is_sha256")),
        sa.PrimaryKeyConstraint("id", "version", name=op.f("pk_pack")),
    )
    op.create_table(
        "permission",
        sa.Column("pack_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.Column("granted_to", sa.ARRAY(sa.Text()), nullable=False),
        sa.CheckConstraint("hash ~ '^[0-9a-f]{64}$'", name=op.f("ck_permission_hash_is_sha256")),
        sa.PrimaryKeyConstraint("pack_id", "id", "version", name=op.f("pk_permission")),
    )
    op.create_table(
        "question",
        sa.Column("pack_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.Column("category", sa.Text(), nullable=False),
        sa.Column("scene", sa.Text(), nullable=False),
        sa.Column("login_state", sa.Text(), nullable=False),
        sa.CheckConstraint("hash ~ '^[0-9a-f]{64}$'", name=op.f("ck_question_hash_is_sha256")),
        sa.PrimaryKeyConstraint("pack_id", "id", "version", name=op.f("pk_question")),
    )
    op.create_table(
        "release",
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("batch_ids", sa.ARRAY(sa.Text()), nullable=False),
        sa.Column("target_name", sa.Text(), nullable=False),
        sa.Column("run_count", sa.Integer(), nullable=False),
        sa.Column("published_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_release")),
    )
    op.create_table(
        "scene",
        sa.Column("pack_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.CheckConstraint("hash ~ '^[0-9a-f]{64}$'", name=op.f("ck_scene_hash_is_sha256")),
        sa.PrimaryKeyConstraint("pack_id", "id", "version", name=op.f("pk_scene")),
    )
    op.create_table(
        "tool",
        sa.Column("pack_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.CheckConstraint(
            "id !~* '(^|_)(buy|sell|purchase|subscribe|redeem|liquidate|rebalance|transfer|wire|remit|pay|withdraw|deposit|trade|execute|place_order|submit_order|create_order|cancel_order|amend_order|modify_order|new_order|order_place|order_submit|order_create|order_cancel|order_amend)(_|$)'",
            name=op.f("ck_tool_name_is_allowed"),
        ),
        sa.PrimaryKeyConstraint("pack_id", "id", name=op.f("pk_tool")),
    )
    op.create_table(
        "variant",
        sa.Column("pack_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.Column("locale", sa.Text(), nullable=False),
        sa.Column("tool_delivery", sa.Text(), nullable=False),
        sa.Column("context_strategy", sa.Text(), nullable=False),
        sa.Column("prompt", sa.Text(), nullable=False),
        sa.Column("prompt_version", sa.Integer(), nullable=False),
        sa.CheckConstraint("hash ~ '^[0-9a-f]{64}$'", name=op.f("ck_variant_hash_is_sha256")),
        sa.PrimaryKeyConstraint("pack_id", "id", "version", name=op.f("pk_variant")),
    )
    op.create_table(
        "batch",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("pack_id", sa.Text(), nullable=False),
        sa.Column("pack_version", sa.Integer(), nullable=False),
        sa.Column("definition", sa.LargeBinary(), nullable=False),
        sa.Column("definition_hash", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("definition_hash ~ '^[0-9a-f]{64}$'", name=op.f("ck_batch_definition_hash_is_sha256")),
        sa.ForeignKeyConstraint(["pack_id", "pack_version"], ["pack.id", "pack.version"], name=op.f("fk_batch_pack")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_batch")),
    )
    op.create_table(
        "gold",
        sa.Column("pack_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.Column("question_version", sa.Integer(), nullable=False),
        sa.CheckConstraint("hash ~ '^[0-9a-f]{64}$'", name=op.f("ck_gold_hash_is_sha256")),
        sa.ForeignKeyConstraint(
            ["pack_id", "id", "question_version"],
            ["question.pack_id", "question.id", "question.version"],
            name=op.f("fk_gold_question"),
        ),
        sa.PrimaryKeyConstraint("pack_id", "id", "version", name=op.f("pk_gold")),
    )
    op.create_table(
        "scene_tool",
        sa.Column("pack_id", sa.Text(), nullable=False),
        sa.Column("scene", sa.Text(), nullable=False),
        sa.Column("scene_version", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("login_state", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("tool", sa.Text(), nullable=False),
        sa.CheckConstraint(
            "login_state IN ('anonymous', 'logged_in', 'logged_in_assessed')", name=op.f("ck_scene_tool_login_state")
        ),
        sa.ForeignKeyConstraint(
            ["pack_id", "scene", "scene_version"],
            ["scene.pack_id", "scene.id", "scene.version"],
            name=op.f("fk_scene_tool_scene"),
        ),
        sa.ForeignKeyConstraint(["pack_id", "tool"], ["tool.pack_id", "tool.id"], name=op.f("fk_scene_tool_tool")),
        sa.PrimaryKeyConstraint(
            "pack_id", "scene", "scene_version", "login_state", "position", name=op.f("pk_scene_tool")
        ),
    )
    op.create_table(
        "tool_version",
        sa.Column("pack_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.Column("access", sa.Text(), nullable=False),
        sa.Column("semantics", sa.Text(), nullable=False),
        sa.Column("requires_login", sa.Boolean(), nullable=False),
        sa.Column("permission", sa.Text(), nullable=True),
        sa.Column("untrusted_output", sa.Boolean(), nullable=False),
        sa.CheckConstraint(
            "NOT (semantics IN ('trade_execution', 'order_placement', 'order_cancellation', 'funds_transfer'))",
            name=op.f("ck_tool_version_semantics_are_allowed"),
        ),
        sa.CheckConstraint("access IN ('read', 'write', 'pure')", name=op.f("ck_tool_version_access")),
        sa.CheckConstraint("hash ~ '^[0-9a-f]{64}$'", name=op.f("ck_tool_version_hash_is_sha256")),
        sa.ForeignKeyConstraint(["pack_id", "id"], ["tool.pack_id", "tool.id"], name=op.f("fk_tool_version_tool")),
        sa.PrimaryKeyConstraint("pack_id", "id", "version", name=op.f("pk_tool_version")),
    )
    op.create_table(
        "fixture",
        sa.Column("pack_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.Column("fixture_set", sa.Text(), nullable=False),
        sa.Column("call_key", sa.Text(), nullable=False),
        sa.Column("tool", sa.Text(), nullable=False),
        sa.Column("tool_version", sa.Integer(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("hostile", sa.Boolean(), nullable=False),
        sa.CheckConstraint("hash ~ '^[0-9a-f]{64}$'", name=op.f("ck_fixture_hash_is_sha256")),
        sa.ForeignKeyConstraint(
            ["pack_id", "fixture_set", "version"],
            ["fixture_set.pack_id", "fixture_set.id", "fixture_set.version"],
            name=op.f("fk_fixture_fixture_set"),
        ),
        sa.ForeignKeyConstraint(
            ["pack_id", "tool", "tool_version"],
            ["tool_version.pack_id", "tool_version.id", "tool_version.version"],
            name=op.f("fk_fixture_tool_version"),
        ),
        sa.PrimaryKeyConstraint("pack_id", "id", "version", name=op.f("pk_fixture")),
        sa.UniqueConstraint(
            "pack_id",
            "fixture_set",
            "version",
            "call_key",
            name=op.f("uq_fixture_pack_id_fixture_set_version_call_key"),
        ),
    )
    op.create_table(
        "run",
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("batch_id", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("case_id", sa.Text(), nullable=False),
        sa.Column("variant_id", sa.Text(), nullable=False),
        sa.Column("repeat", sa.Integer(), nullable=False),
        sa.Column("model_key", sa.Text(), nullable=False),
        sa.Column("attempt", sa.Integer(), server_default="0", nullable=False),
        sa.ForeignKeyConstraint(["batch_id"], ["batch.id"], name=op.f("fk_run_batch")),
        sa.PrimaryKeyConstraint("run_id", name=op.f("pk_run")),
        sa.UniqueConstraint(
            "batch_id",
            "case_id",
            "variant_id",
            "repeat",
            "model_key",
            name=op.f("uq_run_batch_id_case_id_variant_id_repeat_model_key"),
        ),
        sa.UniqueConstraint("batch_id", "position", name=op.f("uq_run_batch_id_position")),
    )
    op.create_table(
        "tool_parameter",
        sa.Column("pack_id", sa.Text(), nullable=False),
        sa.Column("tool", sa.Text(), nullable=False),
        sa.Column("tool_version", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("required", sa.Boolean(), nullable=False),
        sa.Column("schema", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["pack_id", "tool", "tool_version"],
            ["tool_version.pack_id", "tool_version.id", "tool_version.version"],
            name=op.f("fk_tool_parameter_tool_version"),
        ),
        sa.PrimaryKeyConstraint("pack_id", "tool", "tool_version", "name", name=op.f("pk_tool_parameter")),
    )
    op.create_table(
        "artifact",
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("artifact_hash", sa.Text(), nullable=False),
        sa.Column("verdict", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("bytes", sa.LargeBinary(), nullable=False),
        sa.Column(
            "recorded_at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False
        ),
        sa.CheckConstraint("artifact_hash ~ '^[0-9a-f]{64}$'", name=op.f("ck_artifact_artifact_hash_is_sha256")),
        sa.CheckConstraint(
            "status IN ('completed', 'step_limit', 'context_failed', 'provider_failed', 'harness_failed', 'cancelled')",
            name=op.f("ck_artifact_status"),
        ),
        sa.CheckConstraint("verdict IN ('pass', 'fail', 'invalid')", name=op.f("ck_artifact_verdict")),
        sa.ForeignKeyConstraint(["run_id"], ["run.run_id"], name=op.f("fk_artifact_run")),
        sa.PrimaryKeyConstraint("run_id", name=op.f("pk_artifact")),
    )
    op.create_table(
        "event",
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("attempt", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("seq", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column(
            "recorded_at", sa.DateTime(timezone=True), server_default=sa.text("clock_timestamp()"), nullable=False
        ),
        sa.ForeignKeyConstraint(["run_id"], ["run.run_id"], name=op.f("fk_event_run")),
        sa.PrimaryKeyConstraint("run_id", "attempt", "seq", name=op.f("pk_event")),
    )


def downgrade() -> None:
    for table in ("pack", "batch", "release"):
        op.execute(
            f"""
            DO $$ BEGIN
                IF EXISTS (SELECT FROM {table}) THEN
                    RAISE EXCEPTION '{table} holds facts that no older schema has a place for'
                        USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = '{table}_would_be_lost';
                END IF;
            END $$
            """
        )
    for table in (
        "event",
        "artifact",
        "run",
        "batch",
        "release",
        "tool_parameter",
        "fixture",
        "scene_tool",
        "tool_version",
        "tool",
        "scene",
        "gold",
        "question",
        "variant",
        "permission",
        "fixture_set",
        "document",
        "pack",
    ):
        op.drop_table(table)
    op.execute("DROP FUNCTION refuse_change()")
